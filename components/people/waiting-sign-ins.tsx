"use client";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";
import type { AccountRow } from "./account-draft.ts";
import { useAccountChanges } from "./use-change.ts";

/** Sign-ins with the address of an existing account. Approving one links its identity to that account. */
export function WaitingSignIns({ accounts }: { accounts: readonly AccountRow[] }) {
	const { link, reject } = useAccountChanges();
	const waiting = accounts.flatMap((account) =>
		account.identities.filter((identity) => identity.linkedAt === null).map((identity) => ({ account, identity })),
	);
	if (waiting.length === 0) return null;
	return (
		<Panel title="Sign-ins waiting for approval" sub={String(waiting.length)}>
			<ul>
				{waiting.map(({ account, identity }) => (
					<li key={identity.id} className="hairline-b flex flex-wrap items-center gap-x-3 gap-y-1.5 px-4 py-2.5 last:border-b-0">
						<div className="min-w-0 flex-1 basis-72">
							<b className="font-semibold">{identity.email}</b>
							<p className="text-xs break-words text-ink-3">
								{identity.issuer} wants to use the account {account.name}
							</p>
						</div>
						<Button
							size="sm"
							busy={link.isPending}
							onClick={() => link.mutate({ id: identity.id })}
							aria-label={`Approve ${identity.email}`}
						>
							Approve
						</Button>
						<Button
							size="sm"
							variant="danger"
							busy={reject.isPending}
							onClick={() => reject.mutate({ id: identity.id })}
							aria-label={`Reject ${identity.email}`}
						>
							Reject
						</Button>
					</li>
				))}
			</ul>
		</Panel>
	);
}
