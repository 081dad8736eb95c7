import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { notify } from "#components/ui/toast.tsx";
import type { CommitmentInput } from "./commitment-draft.ts";
import { sentDiscount } from "./discount-draft.ts";

/** How one list changes; each change sends the list that it was made from, `seen`. */
export interface ListChanges<Item> {
	/** Whether a change by a form is under way, and why the last one failed: the form tells it. */
	saving: { isPending: boolean; error: unknown };
	/** The same of a removal, whose failure is told in a message. */
	removing: boolean;
	/** Puts `next` in the place of the one called `before`; null: at the end. Calls `done` when it is stored. */
	put: (next: Item, before: string | null, done: () => void) => void;
	/** Calls `done` when it is answered. */
	drop: (id: string, done: () => void) => void;
}

/** The agreed discounts. */
export function useDiscounts() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.discounts.queryOptions());
	const save = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.removed));
	return { lines, changes: changesOf(lines.map(sentDiscount), save, remove) };
}

/** What is reserved and committed. */
export function useCommitments() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.commitments.queryOptions());
	const save = useMutation(trpc.rates.setCommitments.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setCommitments.mutationOptions(settled.removed));
	return { lines, changes: changesOf<CommitmentInput>(lines, save, remove) };
}

/** Once a list was sent, whatever came of it. */
function useSettled() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const onSettled = () => void client.invalidateQueries({ queryKey: trpc.rates.pathKey() });
	const onError = (error: unknown) =>
		notify({ tone: "failed" as const, title: "That was not possible", detail: describeError(error).detail });
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
