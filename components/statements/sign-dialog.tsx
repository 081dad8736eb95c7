"use client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Money } from "#components/money/money.tsx";
import { useAfterChange } from "#components/statements/use-change.ts";
import type { StatementView } from "#components/statements/use-statement.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { monthWords, teamTitle } from "#server/domain/statement-words.ts";

/** Signs the hash of the statement. */
export function SignDialog({ view, onClose }: { view: StatementView; onClose: () => void }) {
	const trpc = useTRPC();
	const [read, setRead] = useState(false);
	const { content, shown, changedSince } = view;
	const after = useAfterChange(onClose);
	const sign = useMutation(
		trpc.statement.sign.mutationOptions({
			onSuccess: ({ version }) => after.done(`Version ${version} signed`),
			onError: after.failed("Could not sign the statement"),
		}),
	);
	if (!shown) return null;
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Sign ${monthWords(content.month)}, ${teamTitle(content.team).toLowerCase()}`}
			description="Records your name and the time for this version. A signature cannot be removed."
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						busy={sign.isPending}
						disabled={!read}
						onClick={() => sign.mutate({ month: content.month, team: content.team, sha256: shown.sha256 })}
					>
						Sign version {shown.version}
					</Button>
				</>
			}
		>
			<dl className="grid grid-cols-[1fr_auto] gap-y-1.5">
				<dt className="text-ink-2">Total</dt>
				<dd className="num font-strong">
					<Money value={content.totals.effectiveMicroUsd} />
				</dd>
			</dl>
			<p className="mt-2 font-mono text-2xs break-all text-ink-3">sha256 {shown.sha256}</p>
			{changedSince && (
				<p className="mt-3 text-warn-ink">
					Since closing, <Money value={changedSince.deltaMicroUsd} signed /> was posted to this month and is not in this version.
				</p>
			)}
			<CheckField
				label="I have read this statement and accept it."
				checked={read}
				onChange={(event) => setRead(event.target.checked)}
				className="mt-4"
			/>
		</Dialog>
	);
}
