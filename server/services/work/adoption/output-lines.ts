import type { Db } from "#server/db/client.ts";
import { readLines } from "../log/read.ts";
import type { LogStore } from "../log/store.ts";

const BATCH = 2_000;

/** Output of an attempt, line by line, in order. @throws Error when a part of the log cannot be read */
export async function* outputLines(
	source: { db: Db; logs: LogStore | null },
	attemptId: string,
): AsyncGenerator<{ stream: "stdout" | "stderr"; text: string }> {
	const onUnreadable = ({ key }: { key: string }, cause: unknown): never => {
		throw new Error(`cannot read ${key} in the log store`, { cause });
	};
	for (let after = 0; ; ) {
		const lines = await readLines(source, attemptId, { after, limit: BATCH, onUnreadable });
		for (const { stream, text } of lines) if (stream !== "spillway") yield { stream, text };
		const last = lines.at(-1);
		if (!last) return;
		after = last.number;
	}
}
