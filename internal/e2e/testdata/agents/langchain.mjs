// LangChain's agent, over Chat Completions, which it does not stream.
import { createAgent, tool } from 'langchain';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { shell, task } from './shell.mjs';

const agent = createAgent({
  model: new ChatOpenAI({ model: 'any-model' }),
  tools: [tool(shell, { name: 'run_command', description: 'Run a shell command', schema: z.object({ command: z.string() }) })],
});
const result = await agent.invoke({ messages: [{ role: 'user', content: task }] }, { recursionLimit: 30 });
console.log(String(result.messages.at(-1).content).length > 0 ? 'answered' : 'no answer');
