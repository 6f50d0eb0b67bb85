// The one tool that the agents of these tests have: a shell.
import { execFile } from 'node:child_process';

export const task = 'List the files in this folder and tell me what they are.';

export const shell = ({ command }) =>
  new Promise((resolve) => execFile('sh', ['-c', command], (_, stdout, stderr) => resolve(stdout + stderr)));
