// JSON merge patches (RFC 7396) over values that are more than JSON: only plain objects are merged, and undefined is a value
// like any other.

function isPlain(value) {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** applyMergePatch returns what a patch makes of a target, and changes neither. */
export function applyMergePatch(target, patch) {
  if (!isPlain(patch)) return patch;
  const merged = isPlain(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = applyMergePatch(merged[key], value);
  }
  return merged;
}
