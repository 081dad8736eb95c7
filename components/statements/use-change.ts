"use client";
import { useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** What follows a change of statements: everything that shows them is read again, and the person is told. */
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
