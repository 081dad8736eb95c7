"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { DiffView } from "./diff-view.tsx";
import { ACTIVE_POLICY, type PolicyCheck } from "./params.ts";
import { codeOf } from "./use-draft.ts";

type PublishDialogProps = {
	text: string;
	baseVersion: number;
	check: PolicyCheck;
	/** The finished backtest of exactly this draft, if any. */
	backtestId: string | null;
	onClose: () => void;
	onPublished: (outcome: "published" | "proposed" | "unchanged") => void;
	onMerge: () => void;
};

/** Publishes a draft with a reason, or reports a conflicting publication. */
export function PublishDialog({ text, baseVersion, check, backtestId, onClose, onPublished, onMerge }: PublishDialogProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [message, setMessage] = useState("");
	const settings = useQuery(trpc.policy.settings.queryOptions());
	const publish = useMutation(trpc.policy.publish.mutationOptions());
	const second = settings.data?.secondPerson === true;
	const warnings = check.problems.filter((p) => p.severity === "warning");
	const submit = async (event: SubmitEvent) => {
		event.preventDefault();
		try {
			const done = await publish.mutateAsync({
				...{ ...ACTIVE_POLICY, source: text, message, baseVersion },
				...(backtestId === null ? {} : { backtestId }),
			});
			void client.invalidateQueries({ queryKey: trpc.policy.pathKey() });
			void client.invalidateQueries({ queryKey: trpc.budget.pathKey() });
			notify(
				done.outcome === "published"
					? { tone: "done", title: `Version ${done.version} is active` }
					: done.outcome === "proposed"
						? { tone: "done", title: "Draft needs a second approver", detail: "See Approvals." }
						: { tone: "info", title: `No changes: version ${done.version} is identical` },
			);
			onPublished(done.outcome);
		} catch {
			// Shown in the dialog so that it can be fixed there.
		}
	};
	const stale = publish.error && codeOf(publish.error) === "precondition_failed";
	return (
		<Dialog
			open
			onClose={onClose}
			title="Publish draft"
			description={
				settings.data && (second ? "Takes effect after a second person approves." : "Takes effect immediately for all queued jobs.")
			}
			className="max-w-190"
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					{stale ? (
						<Button variant="primary" onClick={onMerge}>
							Merge
						</Button>
					) : (
						<Button variant="primary" type="submit" form="publish" busy={publish.isPending} disabled={message.trim().length < 3}>
							{second ? "Propose" : "Publish"}
						</Button>
					)}
				</>
			}
		>
			<form id="publish" onSubmit={(event) => void submit(event)} className="grid gap-3">
				<Field label="Reason" htmlFor="publish-message" hint="Shown with the version and in the audit log.">
					<Textarea
						id="publish-message"
						value={message}
						maxLength={500}
						aria-describedby="publish-message-note"
						onChange={(event) => setMessage(event.currentTarget.value)}
					/>
				</Field>
				{publish.error && (
					<p role="alert" className="text-risk-ink">
						{describeError(publish.error).detail}
					</p>
				)}
				{warnings.map((w) => (
					<p key={`${w.line}/${w.message}`} className="text-warn-ink">
						Line {w.line}: {w.message} {w.fix}
					</p>
				))}
				<p className="text-ink-3">
					{backtestId === null ? "No backtest of this draft was reviewed." : `Includes backtest ${backtestId} of this draft.`}
				</p>
				{check.published && <DiffView changes={check.published.changes} lines={check.published.lines} />}
			</form>
		</Dialog>
	);
}
