#!/usr/bin/env node
'use strict';

// Plain old JavaScript: even a Node that is too old for the rest must be able to parse this file.

var path = require('path');

/** The commands that may follow `marketgraph`, each a file of src/commands; without one, the gateway starts. */
var COMMANDS = {
  client: 'creates and revokes client keys',
  spent: 'prints who has spent what, as CSV',
  'check-manifest': 'checks whether a manifest would be served, and what it costs',
  health: 'checks whether the gateway at HOST and PORT answers; for containers',
};

function usage() {
  var lines = Object.keys(COMMANDS).map(function (name) {
    return '  marketgraph ' + (name + ' …').padEnd(18) + COMMANDS[name];
  });
  return (
    'usage: marketgraph         starts the gateway; configured by environment variables\n' +
    lines.join('\n') +
    '\n  marketgraph --version\n\n' +
    'Without configuration, it serves a sandbox with synthetic data on http://127.0.0.1:4000/graphql.\n'
  );
}

function fail(message) {
  process.stderr.write('marketgraph: ' + message + '\n');
  process.exit(1);
}

/** Whether this Node is excluded by `engines` in package.json. */
function isOldNode() {
  var version = process.versions.node.split('.').map(Number);
  return version[0] < 22 || (version[0] === 22 && version[1] < 19) || version[0] === 23;
}

/**
 * Prints a text. A reader that stops early, as in `| head`, is not an error. Not for use while the gateway runs:
 * touching process.stdout changes how its log is written.
 */
function print(text) {
  process.stdout.on('error', function () {});
  process.stdout.write(text);
}

function run(file) {
  var address = require('url').pathToFileURL(path.join(__dirname, '..', 'dist', file));
  import(address.href).catch(function (error) {
    fail(error.stack);
  });
}

function main(name) {
  if (isOldNode())
    return fail('needs Node 22.19, or 24 and later; this is Node ' + process.versions.node);
  if (name === undefined) return run('main.js');
  if (name === '--help' || name === '-h') return print(usage());
  if (name === '--version' || name === '-v')
    return print(require('../package.json').version + '\n');
  if (!Object.prototype.hasOwnProperty.call(COMMANDS, name))
    return fail('unknown command ' + name + ' (see --help)');
  process.argv.splice(2, 1);
  return run('commands/' + name + '.js');
}

main(process.argv[2]);
