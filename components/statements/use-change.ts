"use client";
import { useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** After a statement change: invalidates queries and shows a toast. */
export function useAfterChange(onDone: () => void) {
	const trpc = useTRPC();
	const client = useQueryClient();
	return {
		done: async (title: string, detail?: string) => {
			await client.invalidateQueries({ queryKey: trpc.statement.pathKey() });
			onDone();
			notify({ tone: "done", title, ...(detail ? { detail } : {}) });
		},
		failed: (title: string) => (error: unknown) => notify({ tone: "failed", title, detail: describeError(error).detail }),
	};
}
