import type { Channel } from "#components/budgets/params.ts";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Input } from "#components/ui/input.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { CHANNEL_TOPICS, type ChannelTopic } from "#server/domain/alert.ts";
import type { ChannelDigest } from "#server/domain/channel-digest.ts";

export const TOPIC_LABEL: Record<ChannelTopic, string> = {
	budget_threshold: "Budget threshold",
	budget_forecast_overrun: "Forecast over cap",
	spend_anomaly: "Unusual team spend",
	money_at_risk: "Money at risk",
	billed_unknown: "Billed, not in ledger",
	ledger_mismatch: "Ledger check failed",
	audit_chain_broken: "Audit chain broken",
	approval_waiting: "Approval requested",
	delivery_failing: "Result not delivered",
	site_unhealthy: "Site unhealthy",
	no_leader: "No leading scheduler",
	job_stuck: "Job stuck",
	sweep_failing: "Sweep failing",
	credential_expiring: "Credential expiring",
	rates_missing: "Exchange rates missing",
	statement: "Statements",
	work_finished: "Job or pipeline finished",
	work_failed: "Job or pipeline failed",
	work_over_forecast: "Job over its forecast",
	work_reclaimed: "Job reclaimed twice",
};

interface TextProps {
	value: string;
	onChange: (value: string) => void;
}

export function NameField({ value, onChange }: TextProps) {
	return (
		<Field label="Name" htmlFor="channel-name">
			<Input id="channel-name" value={value} maxLength={80} onChange={(e) => onChange(e.target.value)} />
		</Field>
	);
}

/** `kept`: the webhook already has a URL, which is not shown. */
export function TargetField({ kind, kept = false, value, onChange }: TextProps & { kind: Channel["kind"]; kept?: boolean }) {
	const mail = kind === "email";
	const hint = mail
		? "Separate with commas."
		: `https://…; redirects are not followed.${kept ? " Leave empty to keep the current URL." : ""}`;
	return (
		<Field label={mail ? "Addresses" : "Webhook URL"} htmlFor="channel-target" hint={hint}>
			<Input id="channel-target" value={value} onChange={(e) => onChange(e.target.value)} aria-describedby="channel-target-note" />
		</Field>
	);
}

export function TeamField({ value, onChange }: TextProps) {
	return (
		<Field label="Team (optional)" htmlFor="channel-team" hint="Leave empty for all teams and company-wide alerts.">
			<Input id="channel-team" value={value} onChange={(e) => onChange(e.target.value)} aria-describedby="channel-team-note" />
		</Field>
	);
}

export function PipelineField({ value, onChange }: TextProps) {
	return (
		<Field
			label="Pipeline or sweep (optional)"
			htmlFor="channel-pipeline"
			hint="With a name, it receives only events of that pipeline's runs, and no alerts."
		>
			<Input id="channel-pipeline" value={value} onChange={(e) => onChange(e.target.value)} aria-describedby="channel-pipeline-note" />
		</Field>
	);
}

const DIGEST_OPTIONS = [
	{ value: "immediate", label: "Immediately" },
	{ value: "hourly", label: "Hourly" },
	{ value: "daily", label: "Daily" },
] as const satisfies readonly { value: ChannelDigest; label: string }[];

interface DigestProps {
	value: ChannelDigest;
	onChange: (value: ChannelDigest) => void;
}

export function DigestField({ value, onChange }: DigestProps) {
	return (
		<div className="grid gap-1.5">
			<p className="font-medium text-ink-2">Send events</p>
			<SegmentedControl label="Send events" name="channel-digest" value={value} options={DIGEST_OPTIONS} onChange={onChange} />
			{value !== "immediate" && (
				<p className="text-xs text-ink-3">
					{value === "hourly"
						? "One message an hour with all events."
						: "One message a day with all events, at 8:00 in the company’s time zone."}
				</p>
			)}
		</div>
	);
}

export function TopicFields({ value, onChange }: { value: readonly ChannelTopic[]; onChange: (value: readonly ChannelTopic[]) => void }) {
	return (
		<fieldset className="grid gap-1.5">
			<legend className="mb-1 font-medium text-ink-2">Events</legend>
			<div className="grid gap-1.5 md:grid-cols-2">
				{CHANNEL_TOPICS.map((topic) => (
					<CheckField
						key={topic}
						label={TOPIC_LABEL[topic]}
						checked={value.includes(topic)}
						onChange={(e) => onChange(e.target.checked ? [...value, topic] : value.filter((t) => t !== topic))}
					/>
				))}
			</div>
		</fieldset>
	);
}
