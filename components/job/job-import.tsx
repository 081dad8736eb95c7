"use client";
import { useState } from "react";
import { FindingGroupSection } from "#components/submit/findings-panel.tsx";
import { groupFindings } from "#components/submit/group-findings.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";

const KINDS = { sbatch: "sbatch script", kubernetes: "Kubernetes manifest" } as const;

/** Conversion report of a job read from a script. Lines converted unchanged are collapsed. */
export function JobImport({ imported }: { imported: NonNullable<JobDetail["imported"]> }) {
	const [all, setAll] = useState(false);
	const groups = groupFindings(imported.findings).map((g) =>
		g.kind === "question" ? { ...g, title: "Kept as is", note: `${g.findings.length}, confirmed before submission` } : g,
	);
	const carried = groups.find((g) => g.kind === "carried");
	const shown = groups.filter((g) => all || g.kind !== "carried");
	return (
		<Panel
			title="Script conversion"
			sub={
				<>
					converted from {KINDS[imported.kind]} <Time atMs={Date.parse(imported.readAt)} />
				</>
			}
			actions={
				carried && (
					<Button size="sm" aria-expanded={all} onClick={() => setAll(!all)}>
						{all ? "Hide unchanged lines" : `Show ${carried.findings.length} unchanged`}
					</Button>
				)
			}
		>
			{!imported.isAsRead && (
				<p className="border-t px-4 py-3 text-pretty text-ink-2">
					The job was edited after conversion. The job file shows what was submitted; these lines show the script.
				</p>
			)}
			{shown.length === 0 && <p className="border-t px-4 py-3 text-ink-2">The script was converted without changes.</p>}
			{shown.map((group) => (
				<FindingGroupSection key={group.kind} group={group} />
			))}
			{imported.leftOut > 0 && (
				<p className="border-t px-4 py-3 text-ink-3">{imported.leftOut.toLocaleString("en-US")} more lines were not stored.</p>
			)}
		</Panel>
	);
}
