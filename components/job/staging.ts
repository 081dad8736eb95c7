import type { LogPage } from "#components/trpc/outputs.ts";

export interface StagingProgress {
	/** What is being copied, such as "s3://acme/claims". */
	uri: string;
	/** "1.2 GiB of 3.0 GiB (40%), 80.0 MiB/s" */
	text: string;
	/** 0 to 1; null while the total is unknown. */
	share: number | null;
}

const LINE = /\bstaging (\S+): (.+\/s)$/;

/** Progress of the newest running copy from the machine's log; null if not reported yet or finished. */
export function parseStaging(lines: LogPage["lines"]): StagingProgress | null {
	for (const { stream, text } of lines.toReversed()) {
		if (stream !== "spillway") continue;
		if (/\bstaged \S+: /.test(text)) return null;
		const [, uri, told] = LINE.exec(text) ?? [];
		if (uri === undefined || told === undefined) continue;
		const percent = /\((\d+)%\)/.exec(told)?.[1];
		return { uri, text: told, share: percent === undefined ? null : Number(percent) / 100 };
	}
	return null;
}
