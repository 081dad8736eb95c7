"use client";
import { useState } from "react";
import { formatSpan } from "#components/time/format-time.ts";
import { Time } from "#components/time/relative-time.tsx";
import type { JobDetail } from "#components/trpc/outputs.ts";
import { Button } from "#components/ui/button.tsx";
import { formatCount, formatThreeDigits } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";
import { Table, Td, Th, Tr } from "#components/ui/table.tsx";

const FIRST = 8;

/** Saved checkpoints, newest first; the next attempt resumes from the newest. */
export function JobCheckpoints({ job }: { job: JobDetail }) {
	const [all, setAll] = useState(false);
	const shown = all ? job.checkpoints : job.checkpoints.slice(0, FIRST);
	const { checkpoint } = job.spec;
	const every = checkpoint ? `Every ${formatSpan(checkpoint.intervalMs)} from ${checkpoint.path}` : undefined;
	const numberOf = (attemptId: string) => job.attemptList.find((a) => a.id === attemptId)?.number ?? null;
	return (
		<Panel
			title="Checkpoints"
			sub={every}
			{...(job.checkpoints.length > FIRST
				? {
						footer: (
							<Button variant="link" size="sm" aria-expanded={all} onClick={() => setAll(!all)}>
								{all ? "Show newest" : `Show all ${job.checkpoints.length}`}
							</Button>
						),
					}
				: {})}
		>
			{job.checkpoints.length === 0 ? (
				<p className="max-w-[70ch] px-4 pb-4 text-pretty text-ink-2">
					{checkpoint
						? "No checkpoints yet. Files written to the checkpoint folder are copied here, and an interrupted attempt resumes from them."
						: "No checkpoint folder: an interruption restarts the job. Set spec.checkpoint in the job file to resume instead."}
				</p>
			) : (
				<Table aria-label="Checkpoints">
					<thead>
						<tr>
							<Th>Saved</Th>
							<Th n>Attempt</Th>
							<Th n>Progress</Th>
							<Th n>Files</Th>
							<Th n>Size</Th>
							<Th>
								<span className="sr-only">Status</span>
							</Th>
						</tr>
					</thead>
					<tbody>
						{shown.map((c, i) => (
							<Tr key={c.id}>
								<Td phone="a">
									<Time atMs={Date.parse(c.createdAt)} form="short" />{" "}
									<Time atMs={Date.parse(c.createdAt)} className="text-xs text-ink-3" />
								</Td>
								<Td n>{numberOf(c.attemptId)}</Td>
								<Td n phone="b">
									{formatSpan(c.completedMs, true)}
								</Td>
								<Td n>{formatCount(c.files)}</Td>
								<Td n phone="d">
									{formatBytes(c.bytes)}
								</Td>
								<Td phone="c" className="text-ink-2">
									{i === 0 && (job.finishedAt === null ? "Restart point" : "Newest")}
								</Td>
							</Tr>
						))}
					</tbody>
				</Table>
			)}
		</Panel>
	);
}

/** Formats bytes in binary units. */
export function formatBytes(bytes: number): string {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let value = bytes;
	let unit = 0;
	while (value >= 1_000 && unit < units.length - 1) {
		value /= 1_024;
		unit += 1;
	}
	return `${unit === 0 ? String(value) : formatThreeDigits(value)} ${units[unit]}`;
}
