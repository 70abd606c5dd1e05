// Requests to the server. All URLs are relative, so they contain the token.

/// A reply that is not a document: the server has stopped, or another server replied.
export class Unreachable extends Error {}

async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw new Unreachable("the server does not answer; is `minds task view` still running?");
  }
  let document;
  try {
    document = await response.json();
  } catch {
    throw new Unreachable(`the server answered with ${response.status} and no document`);
  }
  return { status: response.status, document };
}

/// Returns the package.
export function load() {
  return ask("api/package", {});
}

/// Replaces a section, if its content still has the hash `hash`.
export function put(section, change) {
  return ask(`api/sections/${section}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(change),
  });
}

/// Reports changes while the page is visible. A hidden page closes its connection, because a browser has only a few.
export function listen(onRevision, onState) {
  let source = null;
  const open = () => {
    if (source || document.hidden) return;
    source = new EventSource("api/events");
    source.addEventListener("open", () => onState("live"));
    source.addEventListener("error", () => {
      onState("lost");
      if (source?.readyState === EventSource.CLOSED) {
        close();
        setTimeout(open, 2000);
      }
    });
    source.addEventListener("package", (event) => onRevision(JSON.parse(event.data).revision));
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", open);
  open();
}
