"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC, useTRPCClient } from "#components/trpc/client.tsx";
import type { LogPage } from "#components/trpc/outputs.ts";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { type LogState, withEarlier } from "./log-lines.ts";
import { logOptions, PAGE_LINES, type ReadLog } from "./log-query.ts";

const FILE_LINES = 10_000;

export function useLog(id: string, attempt: number) {
	const trpc = useTRPC();
	const api = useTRPCClient();
	const client = useQueryClient();
	const [loading, setLoading] = useState(false);
	const read: ReadLog = (input) => api.job.logs.query(input);
	const options = logOptions(trpc.job.logs.pathKey(), id, attempt, read);
	const { data } = useSuspenseQuery(options);
	const first = data.lines[0]?.number ?? 1;
	const readEarlier = async () => {
		setLoading(true);
		try {
			const after = Math.max(0, first - 1 - PAGE_LINES);
			const page = await read({ id, page: { attempt, after, limit: Math.max(1, first - 1 - after) } });
			client.setQueryData<LogState>(options.queryKey, (before) => before && withEarlier(before, page));
		} finally {
			setLoading(false);
		}
	};
	/** All lines from the first. */
	const readAll = async () => {
		const lines: LogPage["lines"] = [];
		for (;;) {
			const page = await read({ id, page: { attempt, after: lines.at(-1)?.number ?? 0, limit: FILE_LINES } });
			lines.push(...page.lines);
			if (page.lines.length < FILE_LINES) return lines;
		}
	};
	return { log: data, earlier: first - 1, loading, readEarlier, readAll };
}
