import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** Asks a person on the terminal. Questions go to stderr, so that stdout contains only the command's output. */
export async function ask(question: string, { secret = false }: { secret?: boolean } = {}): Promise<string> {
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	process.stderr.write(question);
	const reader = createInterface({ input: process.stdin, output: secret ? silent : process.stderr, terminal: true });
	try {
		const answer = await reader.question("");
		if (secret) process.stderr.write("\n");
		return answer.trim();
	} finally {
		reader.close();
	}
}
