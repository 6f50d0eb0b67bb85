// Vercel AI SDK: node vercel.mjs chat|responses|messages
import { streamText, tool, isStepCount } from 'ai';
import { createOpenAI } from '@ai-sdk/openai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { z } from 'zod';
import { shell, task } from './shell.mjs';

const model = {
  chat: () => createOpenAI({}).chat('any-model'),
  responses: () => createOpenAI({}).responses('any-model'),
  messages: () => createAnthropic({})('any-model'),
}[process.argv[2]]();

const result = streamText({
  model,
  prompt: task,
  stopWhen: isStepCount(10),
  tools: { run_command: tool({ description: 'Run a shell command', inputSchema: z.object({ command: z.string() }), execute: shell }) },
  onError: ({ error }) => { console.error(error); process.exitCode = 1; },
});
console.log((await result.text).length > 0 ? 'answered' : 'no answer');
