"use client";
import { Fragment } from "react";
import { CsvButton } from "#components/csv/csv-button.tsx";
import { EmptyState } from "#components/page/states.tsx";
import { rulesCsv } from "#components/policies/export-csv.ts";
import { useMarking } from "#components/policies/marking.tsx";
import { ACTIVE_POLICY, lineAnchor, ruleAnchor } from "#components/policies/params.ts";
import { effectText, type RuleEffect, useEffects } from "#components/policies/rule-effect.tsx";
import { prepareRules, type RuleCard } from "#components/policies/rules.ts";
import { useTRPC } from "#components/trpc/client.tsx";
import { useSuspenseQuery } from "#components/trpc/queries.ts";
import { cn } from "#components/ui/cn.ts";
import { formatCount } from "#components/ui/format-number.ts";
import { Panel } from "#components/ui/panel.tsx";

/** The active policy as sentences grouped by effect, each with what it did for those who may see jobs of every team. */
export function RulesPanel({ canSeeEffects }: { canSeeEffects: boolean }) {
	const trpc = useTRPC();
	const { data: policy } = useSuspenseQuery(trpc.policy.get.queryOptions(ACTIVE_POLICY));
	const groups = prepareRules(policy);
	const effects = useEffects(canSeeEffects);
	const since =
		effects && `last 30 days, ${formatCount(effects.placements)} placements${effects.truncated ? ", older ones not counted" : ""}`;
	return (
		<Panel
			title="Rules"
			sub={since ? `grouped by effect · ${since}` : "grouped by effect"}
			actions={
				groups.length > 0 && (
					<CsvButton
						size="sm"
						label="Rules as CSV"
						fileName={`spillway-policy-${policy.version}.csv`}
						text={() => rulesCsv(policy.version, groups)}
					/>
				)
			}
		>
			{groups.length === 0 && (
				<EmptyState icon="policies" title="No rules">
					Add a burst rule to send jobs to clouds.
				</EmptyState>
			)}
			{groups.map((g) => (
				<Fragment key={g.group}>
					<h3 className="border-y bg-sunken px-4 py-1.75 text-xs font-strong text-ink-3">{g.heading}</h3>
					<ul>
						{g.cards.map((card) => (
							<Card key={card.id} card={card} effect={effects?.rules.find(({ ruleId }) => ruleId === card.id) ?? null} />
						))}
					</ul>
				</Fragment>
			))}
		</Panel>
	);
}

function Card({ card, effect }: { card: RuleCard; effect: RuleEffect | null }) {
	const { marked, mark } = useMarking();
	return (
		<li
			id={ruleAnchor(card.id)}
			onPointerEnter={() => mark(card.id)}
			onPointerLeave={() => mark(null)}
			onFocus={() => mark(card.id)}
			onBlur={() => mark(null)}
			className={cn(
				"hairline-b grid gap-x-4 gap-y-0.5 px-4 py-3 last:border-b-0 md:grid-cols-[9.5rem_minmax(0,1fr)_5.5rem]",
				marked === card.id && "bg-[color-mix(in_oklab,var(--accent)_7%,var(--panel))]",
			)}
		>
			<span className="font-strong [overflow-wrap:anywhere]">{card.id}</span>
			<p className="text-pretty text-ink-2">
				{card.sentence.map((part, i) =>
					part.value ? (
						// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a sentence have no name but their place.
						<b key={i} className="font-semibold text-ink underline decoration-line-strong decoration-dotted underline-offset-4">
							{part.text}
						</b>
					) : (
						part.text
					),
				)}
			</p>
			<span className="tabular text-xs text-ink-3 md:text-right">
				{card.lines ? (
					<a href={`#${lineAnchor(card.lines.from)}`} className="hover:text-ink hover:underline">
						{card.lines.from === card.lines.to ? `line ${card.lines.from}` : `lines ${card.lines.from} to ${card.lines.to}`}
					</a>
				) : (
					"default"
				)}
			</span>
			{effect && effectText(effect) !== "" && <span className="tabular text-xs text-ink-3 md:col-start-2">{effectText(effect)}</span>}
		</li>
	);
}
