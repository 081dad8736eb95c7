"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Inputs } from "#components/trpc/outputs.ts";
import { notify } from "#components/ui/toast.tsx";
import { type JobActionResult, summarizeResults, undoPriority } from "./action-results.ts";

/** Jobs per request, to keep requests short. */
const PER_REQUEST = 200;

type ActInput = Inputs["job"]["act"];

/** Bulk actions; each shows its result, and a change of priority can be undone from there. */
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
	const undo = async (results: readonly JobActionResult[]) => {
		const answers: JobActionResult[] = [];
		for (const { priority, ids } of undoPriority(results)) {
			const answer = await send({ action: "set_priority", ids, priority });
			if (answer === null) return;
			answers.push(...answer);
		}
		notify(summarizeResults("set_priority", answers));
	};
	/** Resolves to false if a request failed. */
	const act = async (input: ActInput): Promise<boolean> => {
		const results = await send(input);
		if (results === null) return false;
		const canUndo =
			input.action === "set_priority" && results.some((r) => r.priorityBefore !== null && r.priorityBefore !== input.priority);
		notify({
			...summarizeResults(input.action, results),
			...(canUndo && { action: { label: "Undo", onClick: () => void undo(results) } }),
		});
		return true;
	};
	return { act, pending: mutation.isPending };
}
