#!/usr/bin/env node
// Runs the program out of the package for this machine, which npm has installed as an optional dependency of this one.
'use strict';

const { spawn } = require('child_process');
const { version, optionalDependencies } = require('../package.json');

function findProgram() {
  const glibc = process.report && process.report.getReport().header.glibcVersionRuntime;
  const names = [`linux-${process.arch}-musl`];
  if (glibc) {
    names.unshift(`linux-${process.arch}`);
  }
  for (const name of names) {
    try {
      return require.resolve(`wperf-${name}/bin/wperf`);
    } catch (error) {
      // the next one
    }
  }
  console.error(`wperf: npm has installed no program for ${process.platform} on ${process.arch}; ` +
    `wperf ${version} has ${Object.keys(optionalDependencies).join(', ')}`);
  process.exit(1);
}

const child = spawn(findProgram(), process.argv.slice(2), { stdio: 'inherit' });
// Ctrl-C goes to both of us: wperf decides when to end.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`wperf: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
