"use client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import { Button } from "#components/ui/button.tsx";
import { Dialog } from "#components/ui/dialog.tsx";
import { Field, Textarea } from "#components/ui/input.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { TextSkeleton } from "#components/ui/skeleton.tsx";
import { notify } from "#components/ui/toast.tsx";
import { DiffView } from "./diff-view.tsx";
import { ACTIVE_POLICY } from "./params.ts";

type VersionDialogProps = { version: number; inForce: number; canPublish: boolean; onClose: () => void };
type Against = "before" | "force";

/** A version: its changes, its effect now, and rollback. */
export function VersionDialog({ version, inForce, canPublish, onClose }: VersionDialogProps) {
	const trpc = useTRPC();
	const client = useQueryClient();
	const [asking, setAsking] = useState(false);
	const [message, setMessage] = useState("");
	const detail = useQuery(trpc.policy.version.queryOptions({ ...ACTIVE_POLICY, version }));
	const base = detail.data?.baseVersion ?? (version > 1 ? version - 1 : null);
	const settings = useQuery(trpc.policy.settings.queryOptions());
	const rollback = useMutation(
		trpc.policy.rollback.mutationOptions({
			onSuccess: ({ outcome }) => {
				void client.invalidateQueries({ queryKey: trpc.policy.pathKey() });
				notify(
					outcome === "proposed"
						? { tone: "done", title: `Rollback to version ${version} needs a second approver` }
						: { tone: "done", title: `Version ${version} is active again` },
				);
				onClose();
			},
		}),
	);
	const failed = detail.error;
	const second = settings.data?.secondPerson === true;
	return (
		<Dialog
			open
			onClose={onClose}
			title={`Version ${version}`}
			description={detail.data && `${detail.data.authorName}: ${detail.data.message || "no message"}`}
			className="max-w-190"
			actions={
				version !== inForce &&
				canPublish &&
				(asking ? (
					<>
						<Button onClick={() => setAsking(false)}>Cancel</Button>
						<Button
							variant="primary"
							busy={rollback.isPending}
							disabled={message.trim().length < 3}
							onClick={() => rollback.mutate({ ...ACTIVE_POLICY, version, message, baseVersion: inForce })}
						>
							{second ? "Propose" : `Activate version ${version}`}
						</Button>
					</>
				) : (
					<Button onClick={() => setAsking(true)}>Roll back</Button>
				))
			}
		>
			<div className="grid gap-3">
				{asking && (
					<Field
						label="Reason"
						htmlFor="rollback-message"
						hint={second ? "Takes effect after a second person approves." : "Takes effect immediately. All versions are kept."}
					>
						<Textarea id="rollback-message" value={message} maxLength={500} onChange={(event) => setMessage(event.currentTarget.value)} />
					</Field>
				)}
				{rollback.error && (
					<p role="alert" className="text-risk-ink">
						{describeError(rollback.error).detail}
					</p>
				)}
				{failed ? (
					<p role="alert" className="text-risk-ink">
						{describeError(failed).detail}
					</p>
				) : (
					detail.data && <Compared {...{ version, inForce, base }} />
				)}
			</div>
		</Dialog>
	);
}

/** The changes of a version, or its effect now. */
function Compared({ version, inForce, base }: { version: number; inForce: number; base: number | null }) {
	const trpc = useTRPC();
	const [against, setAgainst] = useState<Against>(version === inForce ? "before" : "force");
	const from = against === "force" ? inForce : base;
	const diff = useQuery(
		trpc.policy.diff.queryOptions({ ...ACTIVE_POLICY, from: from ?? version, to: version }, { enabled: from !== null }),
	);
	if (from === null && version === inForce) return <p className="text-ink-3">First version.</p>;
	const options = [
		...(base === null ? [] : [{ value: "before" as const, label: `Changes from version ${base}` }]),
		...(version === inForce ? [] : [{ value: "force" as const, label: `Compared with version ${inForce}, active` }]),
	];
	return (
		<>
			{options.length > 1 ? (
				<SegmentedControl<Against> label="Compare with" name="against" value={against} onChange={setAgainst} options={options} />
			) : (
				<p className="text-ink-3">{options[0]?.label}</p>
			)}
			{diff.error ? (
				<p role="alert" className="text-risk-ink">
					{describeError(diff.error).detail}
				</p>
			) : diff.data ? (
				<DiffView changes={diff.data.changes} lines={diff.data.lines} />
			) : (
				<TextSkeleton lines={6} label="Loading diff" />
			)}
		</>
	);
}
