"use client";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { screenFormatters } from "#components/job-state/reason-text.tsx";
import { describeError } from "#components/page/error-boundary.tsx";
import { useTime } from "#components/time/clock.tsx";
import { useTRPC } from "#components/trpc/client.tsx";
import type { Outputs } from "#components/trpc/outputs.ts";
import { Field, Select, Textarea } from "#components/ui/input.tsx";
import { Panel } from "#components/ui/panel.tsx";
import { useSettled } from "#components/ui/use-settled.ts";
import { removalSentenceOf } from "#server/domain/removal-sentences.ts";

type Trial = Outputs["policy"]["tryRule"];
const PASTED = "pasted";
const TYPING_MS = 300;

type TryPanelProps = {
	/** The expanded rule, or the one at the cursor. */ ruleId: string | null /** A valid policy that contains the rule. */;
	source: string;
};

/** Tests a rule on a job against current offers. */
export function TryPanel({ ruleId, source }: TryPanelProps) {
	const trpc = useTRPC();
	const { data: jobs } = useQuery(trpc.job.list.queryOptions({ limit: 30 }));
	const [chosen, setChosen] = useState<string | null>(null);
	const [pasted, setPasted] = useState("");
	const items = jobs?.items ?? [];
	const id = chosen ?? items[0]?.id ?? PASTED;
	const asked = useSettled(source, TYPING_MS);
	const text = useSettled(pasted, TYPING_MS);
	const ready = ruleId !== null && (id !== PASTED || text.trim() !== "");
	const trial = useQuery(
		trpc.policy.tryRule.queryOptions(
			{ source: asked, ruleId: ruleId ?? "-", job: id === PASTED ? { text } : { id } },
			{ enabled: ready && jobs !== undefined, placeholderData: keepPreviousData, retry: false },
		),
	);
	return (
		<Panel title="Test rule" sub={ruleId === null ? "select a rule" : `rule ${ruleId}, against one job`}>
			<div className="grid gap-2.5 px-4 pb-4">
				<Field label="Job" htmlFor="try-job">
					<Select id="try-job" value={id} onChange={(event) => setChosen(event.currentTarget.value)}>
						{items.map((job) => (
							<option key={job.id} value={job.id}>
								{job.name}, {job.team}, {job.class}, {job.gpus} {job.gpus === 1 ? "GPU" : "GPUs"}
							</option>
						))}
						<option value={PASTED}>Paste a job</option>
					</Select>
				</Field>
				{id === PASTED && (
					<Field label="Job YAML" htmlFor="try-text">
						<Textarea id="try-text" mono value={pasted} spellCheck={false} onChange={(event) => setPasted(event.currentTarget.value)} />
					</Field>
				)}
				<div role="status" aria-live="polite" className="grid gap-2">
					{ready && trial.error && <p className="text-risk-ink">{describeError(trial.error).detail}</p>}
					{ready && !trial.error && trial.data && trial.data.ruleId === ruleId && <Result trial={trial.data} />}
				</div>
			</div>
		</Panel>
	);
}

function Result({ trial }: { trial: Trial }) {
	return (
		<>
			<p className="text-pretty">{headline(trial)}</p>
			{trial.places.length > 0 && <TriedList trial={trial} />}
		</>
	);
}

const offers = (n: number): string => `${n.toLocaleString("en-US")} ${n === 1 ? "offer" : "offers"}`;

/** The result with its reasons. */
function headline(t: Trial) {
	const job = `${t.job.name} (${t.job.team}, ${t.job.gpus} ${t.job.gpus === 1 ? "GPU" : "GPUs"})`;
	if (t.holds === false) return `No effect on ${job}: the condition is false or no price reaches it.`;
	const unsure =
		t.conditionError === null ? null : (
			<span className="text-warn-ink"> The condition cannot be evaluated ({t.conditionError}), so the rule applies.</span>
		);
	const filters = t.effect === "deny" || t.effect === "allow" || t.effect === "require";
	if (!filters)
		return (
			<>
				Applies to {job}. Excludes no candidates.{unsure}
			</>
		);
	const verb = t.places[0]?.why === "approval_required" ? "Requires approval for" : "Excludes";
	return (
		<>
			<b className="font-semibold">
				{verb} {t.touched.toLocaleString("en-US")} of {offers(t.offers)}
			</b>{" "}
			eligible {job}
			{t.homeSites.length > 0 && `, and owned (${t.homeSites.join(", ")})`}.{" "}
			{t.alsoByOthers > 0 && `Other rules also exclude ${t.alsoByOthers.toLocaleString("en-US")} of these. `}
			With all rules: {offers(t.left)} {t.left === 1 ? "is" : "are"} left.{unsure}
		</>
	);
}

const SHOWN = 12;

function TriedList({ trial }: { trial: Trial }) {
	const [all, setAll] = useState(false);
	const places = all ? trial.places : trial.places.slice(0, SHOWN);
	return (
		<>
			<ul
				// biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
				tabIndex={0}
				aria-label="Affected offers"
				className="max-h-80 overflow-y-auto rounded-md border"
			>
				{places.map((p) => (
					<li
						key={`${p.siteId}/${p.region}/${p.instanceType}/${p.capacityType}/${p.hourlyUsd}`}
						className="hairline-b px-3 py-1.5 last:border-b-0"
					>
						<span className="flex flex-wrap gap-x-3">
							<span className="font-medium">
								{p.provider} {p.region} {p.instanceType}
							</span>
							<span className="text-ink-3">{p.capacityType.replace("_", "-")}</span>
							<span className="num ml-auto">{p.hourlyUsd === null ? "no price" : `$${p.hourlyUsd.toFixed(2)}/h`}</span>
						</span>
						<Why place={p} ruleId={trial.ruleId} />
					</li>
				))}
			</ul>
			{trial.places.length > SHOWN && !all && (
				<button type="button" onClick={() => setAll(true)} className="justify-self-start text-xs text-accent hover:underline">
					{trial.places.length - SHOWN} more
				</button>
			)}
		</>
	);
}

function Why({ place, ruleId }: { place: Trial["places"][number]; ruleId: string }) {
	const text = useTime((now) => removalSentenceOf({ ruleId, why: place.why, facts: place.facts }, screenFormatters(now)));
	return (
		<span className="text-xs text-ink-3">
			{text}
			{place.otherRuleId && ` Also excluded by rule ${place.otherRuleId}.`}
		</span>
	);
}
