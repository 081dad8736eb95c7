"use client";
import { type ReactNode, useState } from "react";
import { Money } from "#components/money/money.tsx";
import { Drill } from "#components/spend/cells.tsx";
import { focusHref } from "#components/spend/focus-href.ts";
import { CloseDialog } from "#components/statements/close-dialog.tsx";
import { laterDrill } from "#components/statements/drill.ts";
import { shortHash } from "#components/statements/prepare-statement.ts";
import { statementFileHref, statementHref } from "#components/statements/search-params.ts";
import type { StatementView } from "#components/statements/use-statement.ts";
import { Time } from "#components/time/relative-time.tsx";
import { Button, buttonClass } from "#components/ui/button.tsx";
import { Health } from "#components/ui/chip.tsx";
import { cn } from "#components/ui/cn.ts";
import { Link } from "#components/ui/link.tsx";
import { cutOfVersion } from "#server/domain/ledger-cut.ts";
import { STATE_WORDS, teamTitle } from "#server/domain/statement-words.ts";

/** Side column: downloads, status, checks, versions and other statements of the month. */
export function StatementSide({ view }: { view: StatementView }) {
	return (
		<aside aria-label="About this statement" className="grid content-start gap-6 print:hidden">
			<Files view={view} />
			<Standing view={view} />
			<Checks view={view} />
			{view.versions.length > 0 && <Versions view={view} />}
			{view.others.length > 0 && <Others view={view} />}
		</aside>
	);
}

function Part({ title, children }: { title: string; children: ReactNode }) {
	return (
		<section>
			<h2 className="mb-1.5 text-xs font-semibold">{title}</h2>
			{children}
		</section>
	);
}

function Row({ label, children }: { label: ReactNode; children: ReactNode }) {
	return (
		<div className="flex items-baseline justify-between gap-4 hairline-b py-1.75 last:border-b-0">
			<dt className="min-w-0 text-ink-2">{label}</dt>
			<dd className="num font-strong whitespace-normal">{children}</dd>
		</div>
	);
}

function Files({ view: { content } }: { view: StatementView }) {
	const { month, team, version } = content;
	return (
		<Part title="Download">
			<div className="grid grid-cols-3 gap-2">
				<a className={buttonClass()} href={statementFileHref(month, team, version, "pdf")} download>
					PDF
				</a>
				<a className={buttonClass()} href={statementFileHref(month, team, version, "csv")} download>
					CSV
				</a>
				<a className={buttonClass()} href={focusHref(month, cutOfVersion(content))} download title="The statement's charges as FOCUS 1.2">
					FOCUS
				</a>
			</div>
		</Part>
	);
}

function Standing({ view }: { view: StatementView }) {
	const { shown, state, sent, changedSince } = view;
	return (
		<Part title="Status">
			<dl>
				<Row label="State">{STATE_WORDS[state]}</Row>
				<Row label="Shown">{shown ? `version ${shown.version} of ${view.versions.length}` : "preview"}</Row>
				{shown && (
					<Row label="Closed">
						<Time atMs={shown.closedAt.getTime()} form="short" />
					</Row>
				)}
				{shown && <Row label="Signed by">{shown.signatures.map((s) => s.name).join(", ") || "not signed"}</Row>}
				{view.versions.length > 0 && <Row label="Sent">{sentWords(sent)}</Row>}
			</dl>
			{changedSince && (
				<p className="mt-2 rounded-lg bg-risk-soft px-3 py-2 text-xs text-pretty text-risk-ink">
					Changed since closing by{" "}
					<Drill href={laterDrill(view.content, view.versions[0]?.version ?? 0)} what="Posted since closing">
						<Money value={changedSince.deltaMicroUsd} signed className="font-semibold" />
					</Drill>
					, in {changedSince.charges} {changedSince.charges === 1 ? "charge" : "charges"} later postings.
				</p>
			)}
		</Part>
	);
}

function sentWords({ sent, pending, failed }: StatementView["sent"]): string {
	const parts = [sent > 0 && `to ${sent}`, pending > 0 && `${pending} pending`, failed > 0 && `${failed} failed`].filter(Boolean);
	return parts.length === 0 ? "not yet" : parts.join(", ");
}

const CHECK_WORDS = {
	lines_add_up: "Lines add up to the total",
	projects_add_up: "Projects add up to the total",
	teams_add_up: "Teams add up to the total",
	bills_explained: "Bills are explained",
} as const;

function Checks({ view }: { view: StatementView }) {
	return (
		<Part title="Checks">
			<p className="mb-1.5 text-xs text-pretty text-ink-3">
				{view.shown ? "Amounts link to their charges as of this version's closing." : "Amounts link to their current charges."}
			</p>
			<dl>
				{view.checks
					.filter((c) => c.ok !== null)
					.map((check) => (
						<Row key={check.key} label={CHECK_WORDS[check.key]}>
							{check.ok ? (
								<Health tone="ok">yes</Health>
							) : (
								<Health tone="risk">
									off by <Money value={check.offMicroUsd} />
								</Health>
							)}
						</Row>
					))}
				{view.intact !== null && (
					<Row label="Hash matches the text">{view.intact ? <Health tone="ok">yes</Health> : <Health tone="risk">no</Health>}</Row>
				)}
				{view.versions.length > 0 && (
					<Row label="Ledger unchanged since closing">
						{view.changedSince ? <Health tone="warn">no</Health> : <Health tone="ok">yes</Health>}
					</Row>
				)}
			</dl>
		</Part>
	);
}

function Versions({ view }: { view: StatementView }) {
	const { month, team } = view.content;
	const [closing, setClosing] = useState(false);
	return (
		<Part title="Versions">
			<ol className="grid gap-0.5">
				{view.versions.map((v) => {
					const isShown = v.version === view.shown?.version;
					return (
						<li key={v.version} className="hairline-b py-1.75 last:border-b-0">
							<div className="flex items-baseline justify-between gap-3">
								<Link
									href={statementHref(month, team, v.version === view.versions[0]?.version ? null : v.version)}
									aria-current={isShown ? "page" : undefined}
									scroll={false}
									className={cn("underline decoration-line-strong underline-offset-4", isShown && "font-semibold no-underline")}
								>
									Version {v.version}
								</Link>
								<Money value={v.totalMicroUsd} />
							</div>
							<p className="text-xs text-pretty text-ink-3">
								{v.correction ?? `Closed by ${v.closedBy}`}, <span className="font-mono">{shortHash(v.sha256)}</span>
							</p>
						</li>
					);
				})}
			</ol>
			{view.may.close && view.state !== "changed" && (
				<Button variant="link" size="sm" onClick={() => setClosing(true)}>
					Close again to add a note
				</Button>
			)}
			{closing && <CloseDialog view={view} onClose={() => setClosing(false)} />}
		</Part>
	);
}

function Others({ view }: { view: StatementView }) {
	return (
		<Part title="Other statements of the month">
			<ul>
				{view.others.map((o) => (
					<li key={o.team} className="flex items-baseline justify-between gap-3 hairline-b py-1.75 last:border-b-0">
						<Link href={statementHref(view.content.month, o.team)} className="text-accent hover:underline">
							{teamTitle(o.team)}
						</Link>
						<span className="text-ink-3">
							<Money value={o.totalMicroUsd} />, {STATE_WORDS[o.state]}
						</span>
					</li>
				))}
			</ul>
		</Part>
	);
}
