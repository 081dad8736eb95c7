import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Refetches the steps after a change. */
export function useSetupSettled(): () => void {
	const trpc = useTRPC();
	const client = useQueryClient();
	return () => void client.invalidateQueries({ queryKey: trpc.setup.get.pathKey() });
}

export function useSkip() {
	const trpc = useTRPC();
	const onSettled = useSetupSettled();
	const onError = (error: unknown) => notify({ tone: "failed", title: "Could not skip the step", detail: describeError(error).detail });
	return useMutation(trpc.setup.skip.mutationOptions({ onSettled, onError }));
}
