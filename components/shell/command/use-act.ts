import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { describeError } from "#components/page/error-boundary.tsx";
import { openShortcuts } from "#components/shell/overlays.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { notify } from "#components/ui/toast.tsx";
import type { CommandAct } from "./command.ts";

/** Runs a command: opens a screen, or calls the server and shows the result. */
export function useAct(): (act: CommandAct) => void {
	const trpc = useTRPC();
	const client = useQueryClient();
	const router = useRouter();
	const { setTheme } = useTheme();
	const refresh = () => {
		for (const queryKey of [trpc.approval.pathKey(), trpc.job.pathKey()]) void client.invalidateQueries({ queryKey });
	};
	const failed = (title: string) => (error: unknown) => notify({ tone: "failed", title, detail: describeError(error).detail });
	const approve = useMutation(trpc.approval.grant.mutationOptions({ onSettled: refresh }));
	const cancel = useMutation(trpc.job.cancel.mutationOptions({ onSettled: refresh }));
	return (act) => {
		if (act.kind === "open") router.push(act.href);
		else if (act.kind === "theme") setTheme(act.theme);
		else if (act.kind === "shortcuts") openShortcuts();
		else if (act.kind === "approve") {
			approve
				.mutateAsync({ id: act.id })
				.then(
					() => notify({ tone: "done", title: `${act.name} approved`, detail: "It is rescheduled now." }),
					failed(`Could not approve ${act.name}`),
				);
		} else {
			cancel
				.mutateAsync({ id: act.id })
				.then(
					({ state }) => notify({ tone: "done", title: state === "cancelled" ? `${act.name} cancelled` : `Stopping ${act.name}` }),
					failed(`Could not cancel ${act.name}`),
				);
		}
	};
}
