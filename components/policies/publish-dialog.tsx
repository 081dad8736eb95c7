"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { notify } from "#components/ui/toast.tsx";
import { BacktestProgress } from "./backtest/backtest-progress.tsx";
import { Figures } from "./backtest/figures.tsx";
import { DiffView } from "./diff-view.tsx";
import { ACTIVE_POLICY, type PolicyCheck } from "./params.ts";
import { codeOf } from "./use-draft.ts";

/** Minimum length of a reason, characters. */
const REASON_MIN = 3;

type PublishDialogProps = {
	text: string;
	baseVersion: number;
	check: PolicyCheck;
	/** The backtest of exactly this draft, if any. It may still be running. */
	backtest: Outputs["backtest"]["get"] | null;
	onClose: () => void;
	onPublished: (outcome: "published" | "proposed" | "unchanged") => void;
	onMerge: () => void;
};

/** Publishes a draft with a reason, or reports a conflicting publication. */
export function PublishDialog({ text, baseVersion, check, backtest, onClose, onPublished, onMerge }: PublishDialogProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [message, setMessage] = useState("");
	const [untested, setUntested] = useState("");
	const finished = backtest !== null && backtest.result !== null;
	const complete = message.trim().length >= REASON_MIN && (finished || untested.trim().length >= REASON_MIN);
	const settings = useQuery(trpc.policy.settings.queryOptions());
	const publish = useMutation(trpc.policy.publish.mutationOptions());
	const second = settings.data?.secondPerson === true;
	const warnings = check.problems.filter((p) => p.severity === "warning");
	const submit = async (event: SubmitEvent) => {
		event.preventDefault();
		try {
			const done = await publish.mutateAsync({
				...{ ...ACTIVE_POLICY, source: text, message, baseVersion },
				...(finished ? { backtestId: backtest.id } : { noBacktestReason: untested }),
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
						<Button variant="primary" type="submit" form="publish" busy={publish.isPending} disabled={!complete}>
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
				<Tested backtest={backtest} reason={untested} onReason={setUntested} />
				{check.published && <DiffView changes={check.published.changes} lines={check.published.lines} />}
			</form>
		</Dialog>
	);
}

type TestedProps = { backtest: Outputs["backtest"]["get"] | null; reason: string; onReason: (reason: string) => void };

/** Figures of the draft's backtest, or the reason to publish without a finished one. */
function Tested({ backtest, reason, onReason }: TestedProps) {
	if (backtest?.result) {
		return (
			<section aria-label={`Backtest ${backtest.id} of this draft`} className="overflow-hidden rounded-md border">
				<Figures result={backtest.result} fromMs={Date.parse(backtest.from)} toMs={Date.parse(backtest.to)} narrow headline />
			</section>
		);
	}
	const pending = backtest?.state === "queued" || backtest?.state === "running";
	return (
		<>
			{pending && <BacktestProgress backtest={backtest} />}
			<Field
				label="Why publish without a finished backtest?"
				htmlFor="publish-untested"
				hint={
					pending ? "Or wait for it. The reason is stored with the version." : "Or run one first. The reason is stored with the version."
				}
			>
				<Textarea
					id="publish-untested"
					value={reason}
					maxLength={500}
					aria-describedby="publish-untested-note"
					onChange={(event) => onReason(event.currentTarget.value)}
				/>
			</Field>
		</>
	);
}
