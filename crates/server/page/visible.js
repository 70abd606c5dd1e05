// Characters that are not displayed, or that change the order of displayed text: a model reads them, but a person does not
// see them. The browser classifies the characters; the check of the workspace is `text/hidden-text`.

const CANDIDATE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\ufff0-\ufffb]/u;
const CANDIDATES = new RegExp(CANDIDATE, "gu");
const LAYOUT = /[\t\n\r\f]/;
const IGNORABLE = /^[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u;
// The tag sequences of regional flags.
const FLAG = /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,6}\u{e007f}/gu;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;
// Letters and marks of scripts in which joiners change the rendering.
const NON_JOINING =
  "\\p{Script=Latin}|\\p{Script=Greek}|\\p{Script=Cyrillic}|\\p{Script=Armenian}|\\p{Script=Georgian}|\\p{Script=Hebrew}|\\p{Script=Han}|\\p{Script=Hiragana}|\\p{Script=Katakana}|\\p{Script=Hangul}|\\p{Script=Inherited}|\\p{Script=Common}|\\p{Default_Ignorable_Code_Point}";
const JOINING = `(?!${NON_JOINING})[\\p{L}\\p{M}]`;
const WITHOUT_SPACES =
  "[\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Tibetan}\\p{Script=Myanmar}\\p{Script=Khmer}\\p{Script=New_Tai_Lue}\\p{Script=Tai_Tham}]";

// Every pattern matches at the start of a string, which is a single character or the following text.
const begins = (pattern) => {
  const regular = new RegExp(`^(?:${pattern})`, "u");
  return (text) => regular.test(text);
};
const beside = (pattern) => {
  const is = begins(pattern);
  return (before, after) => is(before) || is(after);
};
const isBesideJoining = beside(JOINING);
const isBesideWithoutSpaces = beside(WITHOUT_SPACES);
const isAfterEmoji = begins("[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]");
const isBeforeEmoji = begins("\\p{Extended_Pictographic}");
const isEmojiBase = begins("[\\p{Extended_Pictographic}0-9#*]");
const hasVariants = begins("[\\p{Ideographic}\\p{Sm}\\p{Script=Myanmar}\\p{Script=Phags_Pa}\\u3001\\u3002\\uff01-\\uff60]");
const isIdeograph = begins("\\p{Ideographic}");
const isMongolian = begins("\\p{Script=Mongolian}");
// Further runs become replacement characters, because a browser cannot display a page with a million marks.
const MAX_MARKS = 5000;

function isUsed(text, at, length, isRightToLeft) {
  const c = text.codePointAt(at);
  const pair = text.slice(Math.max(0, at - 2), at);
  const before = /^[\ud800-\udbff][\udc00-\udfff]$/.test(pair) ? pair : pair.slice(-1);
  const after = text.slice(at + length, at + length + 2);
  if (c === 0x200c) return isBesideJoining(before, after);
  if (c === 0x200d) return isBesideJoining(before, after) || (isAfterEmoji(before) && isBeforeEmoji(after));
  if (c === 0x200b) return isBesideWithoutSpaces(before, after);
  if (c === 0xfe0e || c === 0xfe0f) return isEmojiBase(before);
  if (c >= 0xfe00 && c <= 0xfe0d) return hasVariants(before);
  if (c >= 0xe0100 && c <= 0xe01ef) return isIdeograph(before);
  if (c >= 0x180b && c <= 0x180f) return isMongolian(before);
  if (c === 0x200e || c === 0x200f || c === 0x061c) return !IGNORABLE.test(before) && isRightToLeft(at);
  return false;
}

/// Returns a function that tells whether the line at a position contains right-to-left letters. Each line is examined once;
/// positions must be ascending.
function lines(text) {
  let [end, isRightToLeft] = [-1, false];
  return (at) => {
    if (at > end) {
      const start = text.lastIndexOf("\n", at) + 1;
      end = text.indexOf("\n", at);
      if (end < 0) end = text.length;
      isRightToLeft = RIGHT_TO_LEFT.test(text.slice(start, end));
    }
    return isRightToLeft;
  };
}

/// Returns the runs of hidden characters: `{ at, end, first, count }`, in code units.
export function hidden(text) {
  if (!CANDIDATE.test(text)) return [];
  const [flags, isRightToLeft] = [[...text.matchAll(FLAG)], lines(text)];
  const runs = [];
  let flag = 0;
  for (const { 0: c, index } of text.matchAll(CANDIDATES)) {
    while (flag < flags.length && flags[flag].index + flags[flag][0].length <= index) flag += 1;
    const isInFlag = flag < flags.length && flags[flag].index <= index;
    if (LAYOUT.test(c) || isInFlag || isUsed(text, index, c.length, isRightToLeft)) continue;
    const last = runs.at(-1);
    if (last?.end === index) {
      last.end += c.length;
      last.count += 1;
    } else {
      runs.push({ at: index, end: index + c.length, first: c.codePointAt(0), count: 1 });
    }
  }
  return runs;
}

/// Returns the text as children of an element, with marks in place of hidden characters.
export function visible(text) {
  const parts = [];
  let from = 0;
  const runs = hidden(text);
  for (const { at, end, first, count } of runs.slice(0, MAX_MARKS)) {
    const mark = document.createElement("span");
    mark.className = "hidden-character";
    mark.title = "These characters are not displayed";
    const code = `U+${first.toString(16).toUpperCase().padStart(4, "0")}`;
    mark.textContent = count === 1 ? code : `${code} and ${count - 1} more`;
    parts.push(text.slice(from, at), mark);
    from = end;
  }
  for (const { at, end } of runs.slice(MAX_MARKS)) {
    parts.push(text.slice(from, at), "\ufffd");
    from = end;
  }
  return [...parts, text.slice(from)].filter((part) => part !== "");
}
