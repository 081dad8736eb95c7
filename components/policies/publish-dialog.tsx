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
	/** The finished backtest of this very text, when there is one. */
	backtestId: string | null;
	onClose: () => void;
	onPublished: (outcome: "published" | "proposed" | "unchanged") => void;
	onMerge: () => void;
};

/** Puts a draft in force, with why; or tells who published meanwhile. */
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
					? { tone: "done", title: `Version ${done.version} is in force` }
					: done.outcome === "proposed"
						? { tone: "done", title: "The draft waits for a second person", detail: "It is under Approvals." }
						: { tone: "info", title: `Nothing to publish: version ${done.version} says this already` },
			);
			onPublished(done.outcome);
		} catch {
			// Told in the dialog, where it can be put right.
		}
	};
	const stale = publish.error && codeOf(publish.error) === "precondition_failed";
	return (
		<Dialog
			open
			onClose={onClose}
			title="Publish the draft"
			description={
				settings.data && (second ? "Another person has to agree before it counts." : "It counts at once, for every job that waits.")
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
							{second ? "Propose it" : "Publish"}
						</Button>
					)}
				</>
			}
		>
			<form id="publish" onSubmit={(event) => void submit(event)} className="grid gap-3">
				<Field label="Why" htmlFor="publish-message" hint="Stands beside the version and in the audit.">
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
					{backtestId === null ? "No backtest of this text was looked at." : `With backtest ${backtestId}, of this very text.`}
				</p>
				{check.published && <DiffView changes={check.published.changes} lines={check.published.lines} />}
			</form>
		</Dialog>
	);
}
