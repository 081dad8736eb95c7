"use client";
import { useState } from "react";
import { FindingGroupSection } from "#components/submit/findings-panel.tsx";
import { groupFindings } from "#components/submit/group-findings.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { Panel } from "#components/ui/panel.tsx";

const KINDS = { sbatch: "an sbatch script", kubernetes: "a Kubernetes manifest" } as const;

/** What was carried over, and what was not, of the script that the job was read from. What was carried as written is behind a click. */
export function JobImport({ imported }: { imported: NonNullable<JobDetail["imported"]> }) {
	const [all, setAll] = useState(false);
	const groups = groupFindings(imported.findings).map((g) =>
		g.kind === "question" ? { ...g, title: "Left as it was", note: `${g.findings.length}, asked about before it was submitted` } : g,
	);
	const carried = groups.find((g) => g.kind === "carried");
	const shown = groups.filter((g) => all || g.kind !== "carried");
	return (
		<Panel
			title="What was carried over"
			sub={
				<>
					read from {KINDS[imported.kind]} <Time atMs={Date.parse(imported.readAt)} />
				</>
			}
			actions={
				carried && (
					<Button size="sm" aria-expanded={all} onClick={() => setAll(!all)}>
						{all ? "Hide what was carried as written" : `Show ${carried.findings.length} carried as written`}
					</Button>
				)
			}
		>
			{!imported.isAsRead && (
				<p className="border-t px-4 py-3 text-pretty text-ink-2">
					The job was changed after the script was read: its file says what was submitted, and the lines here what the script said.
				</p>
			)}
			{shown.length === 0 && <p className="border-t px-4 py-3 text-ink-2">Everything that the script says was carried over as written.</p>}
			{shown.map((group) => (
				<FindingGroupSection key={group.kind} group={group} />
			))}
			{imported.leftOut > 0 && (
				<p className="border-t px-4 py-3 text-ink-3">{imported.leftOut.toLocaleString("en-US")} more lines are not kept.</p>
			)}
		</Panel>
	);
}
