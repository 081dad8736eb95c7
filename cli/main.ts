import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { badInput } from "./args.ts";
import { ask } from "./ask.ts";
import { EXIT, oneLine } from "./exit.ts";
import type { Io } from "./io.ts";
import { runCli } from "./run.ts";

const stop = new AbortController();
process.on("SIGINT", () => {
	if (stop.signal.aborted) process.exit(EXIT.interrupted);
	stop.abort();
});

// The reader of a pipe may close it early (| head): that is not a failure.
for (const stream of [process.stdout, process.stderr]) {
	stream.on("error", (error: NodeJS.ErrnoException) => {
		if (error.code === "EPIPE") process.exit(EXIT.done);
		throw error;
	});
}

const { env } = process;
const io: Io = {
	out: (text) => void process.stdout.write(text),
	err: (text) => void process.stderr.write(text),
	drained: async () => {
		if (process.stdout.writableNeedDrain) await once(process.stdout, "drain");
	},
	columns: process.stdout.isTTY ? process.stdout.columns || null : null,
	progress: process.stderr.isTTY && env.TERM !== "dumb",
	color: process.stdout.isTTY && process.stderr.isTTY && !env.NO_COLOR && env.TERM !== "dumb",
	env,
	cwd: process.cwd(),
	nowMs: () => Date.now(),
	readStdin,
	...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
	sleep: async (ms) => {
		await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
	},
	signal: stop.signal,
};

async function readStdin(limitBytes: number): Promise<string> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > limitBytes) throw badInput(`-f -: more than ${limitBytes} bytes came in; a job file has at most that.`);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

try {
	process.exitCode = await runCli(process.argv.slice(2), io);
} catch (error) {
	process.stderr.write(`spillway: internal error: ${oneLine(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
	process.exitCode = EXIT.server;
}
