"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { ACTIVE_POLICY } from "./params.ts";

type ManagedBy = { repository: string; path: string };

/** Policies managed in git are read-only here and show their source. */
function ManagedNote({ managedBy, canPublish }: { managedBy: ManagedBy; canPublish: boolean }) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [asking, setAsking] = useState(false);
	const unmanage = useMutation(
		trpc.policy.unmanage.mutationOptions({ onSuccess: () => void client.invalidateQueries({ queryKey: trpc.policy.pathKey() }) }),
	);
	return (
		<div role="status" className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border bg-sunken px-4 py-2.5">
			<p className="min-w-0 flex-1 basis-80 text-pretty text-ink-2">
				<b className="font-semibold text-ink">This policy is managed in git</b>: <code className="font-mono text-xs">{managedBy.path}</code>{" "}
				in <code className="font-mono text-xs [overflow-wrap:anywhere]">{managedBy.repository}</code>. Edit it there and publish with{" "}
				<code className="font-mono text-xs whitespace-nowrap">spillway policy apply --git</code>.
			</p>
			{canPublish && (
				<Button size="sm" onClick={() => setAsking(true)}>
					Edit here instead
				</Button>
			)}
			<Dialog
				open={asking}
				onClose={() => setAsking(false)}
				title="Stop managing this policy in git?"
				description="It becomes editable here. The next apply from git overwrites changes made here."
				actions={
					<>
						<Button onClick={() => setAsking(false)}>Cancel</Button>
						<Button
							variant="primary"
							busy={unmanage.isPending}
							onClick={() => unmanage.mutate(ACTIVE_POLICY, { onSuccess: () => setAsking(false) })}
						>
							Edit here
						</Button>
					</>
				}
			>
				{unmanage.error && <p className="text-risk-ink">{describeError(unmanage.error).detail}</p>}
			</Dialog>
		</div>
	);
}

/** The git note, if the policy is managed in git. */
export function ManagedBanner({ canPublish }: { canPublish: boolean }) {
	const trpc = useTRPC();
	const { data: names } = useSuspenseQuery(trpc.policy.names.queryOptions());
	const managedBy = names.find((each) => each.name === ACTIVE_POLICY.name)?.managedBy ?? null;
	return managedBy && <ManagedNote managedBy={managedBy} canPublish={canPublish} />;
}
