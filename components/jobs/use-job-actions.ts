"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";
import { type ActInput, type JobActionResult, summarizeResults, undoOf } from "./action-results.ts";

/** Jobs per request, to keep requests short. */
const PER_REQUEST = 200;

/** Bulk actions; each shows its result, and what can be undone is undone from there. */
export function useJobActions() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const mutation = useMutation(trpc.job.act.mutationOptions());

	const send = async (input: ActInput): Promise<JobActionResult[] | null> => {
		const results: JobActionResult[] = [];
		try {
			for (let from = 0; from < input.ids.length; from += PER_REQUEST) {
				const part = await mutation.mutateAsync({ ...input, ids: input.ids.slice(from, from + PER_REQUEST) });
				results.push(...part.items);
			}
			return results;
		} catch (error) {
			notify({ tone: "failed", title: "Could not change all jobs", detail: describeError(error).detail });
			return null;
		} finally {
			void client.invalidateQueries({ queryKey: trpc.job.pathKey() });
		}
	};
	const undo = async (inputs: readonly ActInput[]) => {
		for (const input of inputs) {
			const results = await send(input);
			if (results === null) return;
			notify(summarizeResults(input.action, results));
		}
	};
	/** Resolves to false if a request failed. */
	const act = async (input: ActInput): Promise<boolean> => {
		const results = await send(input);
		if (results === null) return false;
		const undoing = undoOf(input, results);
		notify({
			...summarizeResults(input.action, results),
			...(undoing.length > 0 && { action: { label: "Undo", onClick: () => void undo(undoing) } }),
		});
		return true;
	};
	return { act, pending: mutation.isPending };
}
