import { useMutation, useQueryClient } from "@tanstack/react-query";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";

/** Mutations of accounts without a form. Errors appear as a toast, results in the list. */
export function useAccountChanges() {
	const trpc = useTRPC();
	const settled = useAccountsSettled();
	const onError = (error: unknown) =>
		notify({ tone: "failed" as const, title: "Could not change the account", detail: describeError(error).detail });
	const options = { onSettled: settled, onError };
	return {
		invite: useMutation(trpc.account.invite.mutationOptions(options)),
		disable: useMutation(trpc.account.disable.mutationOptions(options)),
		enable: useMutation(trpc.account.enable.mutationOptions(options)),
		link: useMutation(trpc.account.linkIdentity.mutationOptions(options)),
		reject: useMutation(trpc.account.rejectIdentity.mutationOptions(options)),
	};
}

/** Refetches what shows accounts. */
export function useAccountsSettled(): () => void {
	const trpc = useTRPC();
	const client = useQueryClient();
	return () => {
		void client.invalidateQueries({ queryKey: trpc.account.pathKey() });
		void client.invalidateQueries({ queryKey: trpc.team.pathKey() });
		void client.invalidateQueries({ queryKey: trpc.role.pathKey() });
	};
}
