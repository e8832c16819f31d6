// Prints the options that completions know of: PROGRAM<TAB>SUBCOMMAND<TAB>OPTION<TAB>TAKES.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = process.argv[2];
const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

function takes(option) {
  const first = list(option.args)[0];
  if (first === undefined) return "nothing";
  if (option.requiresSeparator && first.isOptional) return "glued";
  return first.isOptional ? "perhaps" : "words";
}

function print(program, path, node, depth) {
  for (const option of list(node.options))
    for (const name of list(option.name)) {
      const bare = name.replace(/=$/, "");
      if (/^-[^\s=]+$/.test(bare)) console.log([program, path, bare, takes(option)].join("\t"));
    }
  if (depth > 0)
    for (const sub of list(node.subcommands))
      for (const name of list(sub.name)) print(program, `${path} ${name}`.trim(), sub, depth - 1);
}

for await (const program of createInterface({ input: process.stdin })) {
  const file = join(root, `${program}.js`);
  if (!/^[\w.+-]+$/.test(program) || !existsSync(file)) continue;
  try {
    const spec = (await import(pathToFileURL(file))).default;
    print(program, "", typeof spec === "function" ? {} : spec, 1);
  } catch {
    // A module that cannot be loaded accuses nobody.
  }
}
