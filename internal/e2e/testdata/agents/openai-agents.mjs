// OpenAI Agents SDK, over Responses.
import { Agent, run, tool, setTracingDisabled } from '@openai/agents';
import { z } from 'zod';
import { shell, task } from './shell.mjs';

setTracingDisabled(true);
const agent = new Agent({
  name: 'lister',
  model: 'any-model',
  instructions: 'You list files.',
  tools: [tool({ name: 'run_command', description: 'Run a shell command', parameters: z.object({ command: z.string() }), execute: shell })],
});
const result = await run(agent, task, { stream: true, maxTurns: 10 });
for await (const _ of result);
await result.completed;
console.log(String(result.finalOutput).length > 0 ? 'answered' : 'no answer');
