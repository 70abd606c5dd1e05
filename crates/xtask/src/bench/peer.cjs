// Reads a team and validates it with a JSON Schema, like a typical Node program built from libraries.
// usage: node peer.cjs SCHEMA TEAM
"use strict";

const { readFileSync } = require("node:fs");
const Ajv = require("ajv");
const { parse } = require("yaml");

const [schema, team] = process.argv.slice(2).map((path) => readFileSync(path, "utf8"));
const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(schema));
if (!validate(parse(team))) {
  for (const { instancePath, message } of validate.errors) {
    console.log(`${instancePath}: ${message}`);
  }
  process.exitCode = 1;
}
