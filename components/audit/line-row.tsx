"use client";
import { Time } from "#components/time/relative-time.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { cn } from "#components/ui/cn.ts";
import { CopyId } from "#components/ui/copy-id.tsx";
import { formatCount } from "#components/ui/format-number.ts";
import { Icon } from "#components/ui/icon.tsx";
import { Link } from "#components/ui/link.tsx";
import { Td, Tr } from "#components/ui/table.tsx";
import { type DiffLine, prepareDiff } from "./prepare-diff.ts";

type Line = Outputs["audit"]["list"]["items"][number];

/** An audit entry; expands to show its changes. */
export function LineRow({ line, open, onToggle }: { line: Line; open: boolean; onToggle: () => void }) {
	const details = `audit-${line.id}`;
	return (
		<>
			<Tr selected={open}>
				<Td phone="a">
					<button
						type="button"
						aria-expanded={open}
						aria-controls={open ? details : undefined}
						onClick={onToggle}
						className="inline-flex h-7 items-center gap-1.5 rounded-sm font-mono text-xs font-strong hover:underline"
					>
						<Icon name={open ? "chevronDown" : "chevronRight"} className="size-3.5 text-ink-3" />
						{line.action}
					</button>
				</Td>
				<Td phone="e" className="max-w-80 truncate">
					<Subject subject={line.subject} />
				</Td>
				<Td phone="c">{line.actorName ?? WORDS[line.actor] ?? line.actor}</Td>
				<Td phone="d">{sourceLabel(line)}</Td>
				<Td n phone="b">
					<Time atMs={Date.parse(line.at)} form="short" />
				</Td>
				<Td n>{line.seal ? formatCount(line.seal.sequence) : <span className="text-ink-3">pending</span>}</Td>
			</Tr>
			{open && (
				<tr className="max-md:block">
					<td id={details} colSpan={6} className="border-b bg-sunken p-0 max-md:block">
						<Details line={line} />
					</td>
				</tr>
			)}
		</>
	);
}

const WORDS: Record<string, string> = {
	"system:control_loop": "Scheduler",
	"system:agent": "Agent",
	"system:seed": "Installation",
	"system:sign_in": "Sign-in page",
	"system:database": "Database",
};

function sourceLabel({ via, source }: Line): string {
	return [via === "session" ? "browser" : via, source].filter(Boolean).join(", ") || "–";
}

function Subject({ subject }: { subject: string }) {
	if (!/^job_\w+$/.test(subject)) return <CopyId value={subject} />;
	return (
		<Link
			href={`/jobs/${subject}`}
			className="font-mono text-xs underline decoration-line-strong underline-offset-4 hover:decoration-current"
		>
			{subject}
		</Link>
	);
}

const MARK: Record<DiffLine["kind"], { sign: string; word: string; className: string }> = {
	added: { sign: "+", word: "added", className: "text-ok-ink" },
	removed: { sign: "−", word: "removed", className: "text-risk-ink" },
	changed: { sign: "~", word: "changed", className: "text-warn-ink" },
	same: { sign: "", word: "unchanged", className: "text-ink-3" },
};

function Details({ line }: { line: Line }) {
	const { lines, leftOut } = prepareDiff(line.before, line.after);
	return (
		<div className="grid gap-3 px-4 py-3">
			{lines.length > 0 && (
				<ul aria-label="Before and after" className="grid gap-0.5 font-mono text-xs break-words whitespace-pre-wrap max-md:gap-1.5">
					{lines.map((l) => (
						<li
							key={l.path}
							className="grid grid-cols-[0.75rem_minmax(0,12rem)_minmax(0,1fr)] gap-x-2 max-md:grid-cols-[0.75rem_minmax(0,1fr)]"
						>
							<span className={MARK[l.kind].className}>
								<span aria-hidden>{MARK[l.kind].sign}</span>
								<span className="sr-only">{MARK[l.kind].word}</span>
							</span>
							<span className="text-ink-2">{l.path}</span>
							<span className="max-md:col-start-2">
								{l.before !== null && l.kind !== "same" && (
									<del className={cn("text-ink-2", l.kind === "changed" ? "mr-2" : "")}>{l.before}</del>
								)}
								{l.after !== null && (l.kind === "same" ? l.after : <ins className="no-underline">{l.after}</ins>)}
							</span>
						</li>
					))}
				</ul>
			)}
			{leftOut > 0 && <p className="text-ink-2">{leftOut} more values in the export.</p>}
			<dl className="flex flex-wrap gap-x-6 gap-y-1 text-xs text-ink-2">
				<Fact name="Line" value={String(line.id)} />
				<Fact name="At" value={line.at} />
				<Fact name="Actor" value={line.actor} />
				{line.requestId && <Fact name="Request" value={line.requestId} />}
				{line.seal && <Fact name="Hash" value={line.seal.hash} />}
			</dl>
		</div>
	);
}

function Fact({ name, value }: { name: string; value: string }) {
	return (
		<div className="flex min-w-0 gap-1.5">
			<dt>{name}</dt>
			<dd className="min-w-0 font-mono break-all text-ink">{value}</dd>
		</div>
	);
}
