import { rest } from "./rest.ts";

/** Output of a run of examples/language-id. */
export interface Training {
	/** Full line by step, so that a resumed run can be compared with an uninterrupted one. */
	steps: Map<number, { line: string; loss: number }>;
	resumedFrom: number | null;
	savedAt: number | null;
	done: string | null;
}

export async function trainingOf(jobId: string, attempt: number): Promise<Training> {
	const lines = (await rest.logs(jobId, attempt)).map(({ text }) => text);
	const steps = new Map<number, { line: string; loss: number }>();
	for (const line of lines) {
		const [, step, loss] = /^step (\d+) epoch \d+ loss (\d+\.\d+)/.exec(line) ?? [];
		if (step && loss) steps.set(Number(step), { line, loss: Number(loss) });
	}
	const first = (pattern: RegExp): string | null =>
		lines.map((line) => pattern.exec(line)?.[1] ?? null).find((found) => found !== null) ?? null;
	return {
		steps,
		resumedFrom: numberOrNull(first(/^resumed from step (\d+)/)),
		savedAt: numberOrNull(first(/^SIGTERM: saved at step (\d+)/)),
		done: first(/^(done at step .*)$/),
	};
}

const numberOrNull = (text: string | null): number | null => (text === null ? null : Number(text));
