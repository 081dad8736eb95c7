import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";
import { sentDiscount } from "./discount-draft.ts";

/** Once a list was sent, whatever came of it. */
function useSettled() {
	const trpc = useTRPC();
	const client = useQueryClient();
	const onSettled = () => void client.invalidateQueries({ queryKey: trpc.rates.pathKey() });
	const onError = (error: unknown) =>
		notify({ tone: "failed" as const, title: "That was not possible", detail: describeError(error).detail });
	/** A form tells its failure itself; a removal has no form. */
	return { saved: { onSettled }, removed: { onSettled, onError } };
}

/** The agreed discounts, and the two ways in which the list changes. Each sends the list that it was made from: `seen`. */
export function useDiscounts() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.discounts.queryOptions());
	const save = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setDiscounts.mutationOptions(settled.removed));
	return { lines, items: lines.map(sentDiscount), save, remove };
}

/** The same of what is reserved and committed. */
export function useCommitments() {
	const trpc = useTRPC();
	const settled = useSettled();
	const { data: lines } = useSuspenseQuery(trpc.rates.commitments.queryOptions());
	const save = useMutation(trpc.rates.setCommitments.mutationOptions(settled.saved));
	const remove = useMutation(trpc.rates.setCommitments.mutationOptions(settled.removed));
	return { lines, save, remove };
}

/** The list with `next` in the place of the one called `before`; null: at its end. */
export function withOne<T extends { id: string }>(items: readonly T[], next: T, before: string | null): T[] {
	return before === null ? [...items, next] : items.map((item) => (item.id === before ? next : item));
}
