import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { notify } from "#components/ui/toast.tsx";
import type { CommitmentInput } from "./commitment-draft.ts";
import { sentDiscount } from "./discount-draft.ts";

/** Each change submits the list it was based on, `seen`, so that the server detects conflicts. */
export interface ListChanges<Item> {
	/** Pending state and error of a form change; the form shows them. */
	saving: { isPending: boolean; error: unknown };
	/** Pending state of a removal; errors appear as a toast. */
	removing: boolean;
	/** Replaces the entry named `before`, or appends if null. Calls `done` once stored. */
	put: (next: Item, before: string | null, done: () => void) => void;
	/** Calls `done` once the server has responded. */
	drop: (id: string, done: () => void) => void;
}

/** Discounts. */
export function useDiscounts() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.discounts.queryOptions());
	const save = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.removed));
	return { lines, changes: changesOf(lines.map(sentDiscount), save, remove) };
}

/** Commitments. */
export function useCommitments() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.commitments.queryOptions());
	const save = useMutation(trpc.rates.setCommitments.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setCommitments.mutationOptions(settled.removed));
	return { lines, changes: changesOf<CommitmentInput>(lines, save, remove) };
}

/** Called after every submission, whether it succeeded or failed. */
function useSettled() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const onSettled = () => void client.invalidateQueries({ queryKey: trpc.rates.pathKey() });
	const onError = (error: unknown) =>
		notify({ tone: "failed" as const, title: "Could not save the change", detail: describeError(error).detail });
	return { saved: { onSettled }, removed: { onSettled, onError } };
}

interface Mutation<Item> {
	isPending: boolean;
	error: unknown;
	mutate: (list: { next: { items: Item[] }; seen: { items: Item[] } }, told: { onSuccess?: () => void; onSettled?: () => void }) => void;
}

function changesOf<Item extends { id: string }>(items: Item[], save: Mutation<Item>, remove: Mutation<Item>): ListChanges<Item> {
	const seen = { items };
	return {
		saving: save,
		removing: remove.isPending,
		put: (next, before, done) => {
			const list = before === null ? [...items, next] : items.map((item) => (item.id === before ? next : item));
			save.mutate({ next: { items: list }, seen }, { onSuccess: done });
		},
		drop: (id, done) => remove.mutate({ next: { items: items.filter((item) => item.id !== id) }, seen }, { onSettled: done }),
	};
}
