"use client";
import { useId } from "react";
import { Checkbox } from "#components/ui/checkbox.tsx";
import { cn } from "#components/ui/cn.ts";
import { Icon, type IconName } from "#components/ui/icon.tsx";
import { type Finding, type FindingGroup, groupFindings, questionKey } from "./group-findings.ts";

const MARKS: Record<Finding["kind"], { icon: IconName; tone: string; says: string }> = {
	question: { icon: "alert", tone: "text-risk-ink", says: "Question" },
	dropped: { icon: "x", tone: "text-ink-3", says: "Dropped" },
	changed: { icon: "refresh", tone: "text-cloud-ink", says: "Changed" },
	carried: { icon: "check", tone: "text-carbon-ink", says: "Unchanged" },
};

/** Answers a question before submission. */
type Answers = { answered: ReadonlySet<string>; onAnswer: (key: string, yes: boolean) => void };

/** The outcome of every script line, most important first. */
export function Findings({ findings, ...answers }: { findings: readonly Finding[] } & Answers) {
	return groupFindings(findings).map((group) => <FindingGroupSection key={group.kind} group={group} answers={answers} />);
}

/** Without `answers` it is read-only: the job was submitted. */
export function FindingGroupSection({ group, answers }: { group: FindingGroup; answers?: Answers }) {
	return (
		<section className="@container border-t px-4 py-3">
			<h3 className="mb-1.5 text-xs font-strong">
				{group.title} <span className="font-book text-ink-3">{group.note}</span>
			</h3>
			<ul className="grid gap-1.5">
				{group.findings.map((f) => (
					<FindingRow key={`${f.line}/${questionKey(f)}`} finding={f} {...(answers && { answers })} />
				))}
			</ul>
		</section>
	);
}

function FindingRow({ finding, answers }: { finding: Finding; answers?: Answers }) {
	const mark = MARKS[finding.kind];
	const key = questionKey(finding);
	const id = useId();
	return (
		<li className="grid grid-cols-[1rem_2rem_minmax(0,1fr)_auto] items-start gap-x-2 gap-y-1 text-xs leading-4.5">
			<Icon name={mark.icon} label={mark.says} className={cn("mt-0.25", mark.tone)} />
			<span className="tabular text-right text-ink-3">{finding.line}</span>
			<span className="min-w-0 wrap-anywhere">
				<span className={cn(finding.text !== "" && "font-semibold")}>{finding.subject}</span>
				{finding.text !== "" && <span className="text-ink-2">. {finding.text}</span>}
			</span>
			{finding.kind === "question" && answers && (
				<label htmlFor={id} className="flex cursor-pointer items-center gap-1.5 whitespace-nowrap text-ink-2 @max-md:col-start-3">
					<Checkbox id={id} checked={answers.answered.has(key)} onChange={(event) => answers.onAnswer(key, event.currentTarget.checked)} />
					Keep as is
				</label>
			)}
		</li>
	);
}
