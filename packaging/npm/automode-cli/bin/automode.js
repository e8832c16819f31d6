#!/usr/bin/env node
// Starts the binary of this platform. A hook should name that binary itself: `automode install` does.
"use strict";

const { spawnSync } = require("node:child_process");

const name = `automode-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/automode`);
} catch {
  console.error(`error: there is no package \`${name}\` for this machine`);
  console.error(
    process.platform === "win32"
      ? "hint: install automode and the agent inside WSL2"
      : "hint: build from source with `cargo install --path crates/automode-cli`",
  );
  // A permission hook that cannot start must stop the call: 2 is the code that agents take for a denial.
  process.exit(2);
}

const done = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (done.error) console.error(`error: \`${binary}\` could not be started: ${done.error.message}`);
process.exit(done.status ?? 2);
