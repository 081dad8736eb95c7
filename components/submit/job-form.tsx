"use client";
import type { ReactNode } from "react";
import { useTime } from "#components/time/clock.tsx";
import { formatSpan } from "#components/time/format-time.ts";
import { CheckField } from "#components/ui/checkbox.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { LABELS, WORKLOAD_CLASSES } from "#server/domain/vocabulary.ts";
import { parseDurationMs } from "#server/kernel/units.ts";
import { DraftInput } from "../ui/draft-input.tsx";
import { joinCommand, splitCommand } from "./command-line.ts";
import type { YamlPath, YamlValue } from "./edit-yaml.ts";
import type { Draft } from "./read-draft.ts";

type JobFormProps = {
	draft: Draft;
	teams: readonly string[];
	onEdit: (path: YamlPath, value: YamlValue | undefined) => void;
	/** The focused field; its YAML line is highlighted. */
	onField: (path: YamlPath | null) => void;
};

const GPUS = ["1", "2", "4", "8", "16"] as const;

export const FIELDS = {
	name: ["metadata", "name"],
	team: ["metadata", "team"],
	project: ["metadata", "project"],
	class: ["spec", "class"],
	image: ["spec", "image"],
	command: ["spec", "command"],
	gpus: ["spec", "resources", "gpus"],
	accelerators: ["spec", "resources", "accelerators"],
	nodes: ["spec", "nodes"],
	interconnect: ["spec", "interconnect"],
	estimate: ["spec", "duration", "estimate"],
	max: ["spec", "duration", "max"],
	deadline: ["spec", "deadline"],
	priority: ["spec", "priority"],
	checkpoint: ["spec", "checkpoint"],
	checkpointPath: ["spec", "checkpoint", "path"],
	data: ["spec", "data"],
} as const satisfies Record<string, YamlPath>;

/** Common job fields; the YAML next to it has all fields. */
export function JobForm(props: JobFormProps) {
	const { draft } = props;
	return (
		<fieldset disabled={!draft.readable} onBlur={() => props.onField(null)} className="grid gap-3.5 px-4 pb-4 disabled:opacity-60">
			<legend className="sr-only">Job</legend>
			{!draft.readable && (
				<p role="status" className="rounded-md bg-risk-soft px-3 py-2 text-risk-ink">
					Invalid YAML at line {draft.problems[0]?.line ?? 1}. Fix it to use the form.
				</p>
			)}
			<Group>
				<TextField {...props} name="name" label="Name" />
				<TeamField {...props} />
				<ClassField {...props} />
				<TextField {...props} name="project" label="Project" optional />
				<CommandField {...props} />
				<TextField {...props} name="image" label="Image" optional mono wide hint="Optional; the local site runs the command directly" />
			</Group>
			<Group first="minmax(9rem,1.2fr)">
				<GpuField {...props} />
				<TextField {...props} name="nodes" label="Nodes" optional number placeholder="1" hint="Machines that start together" />
				<AcceleratorField {...props} />
				<InterconnectField {...props} />
			</Group>
			<Group>
				<DurationField {...props} name="estimate" label="Estimated run time" placeholder="6h" />
				<DurationField {...props} name="max" label="Maximum run time" placeholder="12h" />
				<DeadlineField {...props} />
				<TextField {...props} name="priority" label="Priority" optional number placeholder="50" hint="0 to 100; higher starts first" />
			</Group>
			<Group>
				<CheckpointField {...props} />
				<DataNote draft={draft} />
			</Group>
		</fieldset>
	);
}

/** `first`: width of the first column if it needs more than half. */
function Group({ first = "minmax(0,1fr)", children }: { first?: string; children: ReactNode }) {
	return (
		<div
			style={{ gridTemplateColumns: `${first} minmax(0,1fr)` }}
			className="grid gap-x-3 gap-y-2.5 border-t pt-3.5 first-of-type:border-t-0 first-of-type:pt-0"
		>
			{children}
		</div>
	);
}

/** Shared by all fields: ID, problem and YAML line. */
function fieldProps({ draft, onField }: Pick<JobFormProps, "draft" | "onField">, name: keyof typeof FIELDS, hint?: ReactNode) {
	const error = draft.problemAt(FIELDS[name]);
	const id = `job-${name}`;
	return {
		field: { htmlFor: id, error, ...(hint ? { hint } : {}) },
		control: {
			id,
			"aria-invalid": error ? true : undefined,
			"aria-describedby": error || hint ? `${id}-note` : undefined,
			onFocus: () => onField(FIELDS[name]),
		} as const,
	};
}

const textOf = (value: unknown): string =>
	value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);

type TextFieldProps = JobFormProps & {
	name: keyof typeof FIELDS;
	label: string;
	optional?: boolean;
	number?: boolean;
	mono?: boolean;
	wide?: boolean;
	hint?: ReactNode;
	placeholder?: string;
};

function TextField({
	name,
	label,
	optional = false,
	number = false,
	mono = false,
	wide = false,
	hint,
	placeholder,
	...props
}: TextFieldProps) {
	const { field, control } = fieldProps(props, name, hint);
	const edit = (text: string) => {
		const trimmed = text.trim();
		if (trimmed === "" && optional) return props.onEdit(FIELDS[name], undefined);
		props.onEdit(FIELDS[name], number && /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed);
	};
	return (
		<Field label={label} {...field} {...(wide ? { className: "col-span-full" } : {})}>
			<DraftInput
				{...control}
				value={textOf(props.draft.valueAt(FIELDS[name]))}
				onValue={edit}
				mono={mono}
				placeholder={placeholder}
				inputMode={number ? "numeric" : undefined}
			/>
		</Field>
	);
}

function TeamField(props: JobFormProps) {
	const { field, control } = fieldProps(props, "team");
	const team = textOf(props.draft.valueAt(FIELDS.team));
	return (
		<Field label="Team" {...field}>
			<Select {...control} value={team} onChange={(event) => props.onEdit(FIELDS.team, event.currentTarget.value)}>
				{!props.teams.includes(team) && <option value={team}>{team || "Select team"}</option>}
				{props.teams.map((each) => (
					<option key={each}>{each}</option>
				))}
			</Select>
		</Field>
	);
}

const CLASS_HINTS: Record<(typeof WORKLOAD_CLASSES)[number], string> = {
	baseline: "Runs on owned GPUs by default",
	burst: "May burst when the policy allows",
	experimental: "Cheaper rather than faster",
	sensitive: "Data must stay on-premises",
	batch_inference: "Many short runs of a finished model",
};

function ClassField(props: JobFormProps) {
	const given = textOf(props.draft.valueAt(FIELDS.class)) || "burst";
	const known = WORKLOAD_CLASSES.find((c) => c === given);
	const { field, control } = fieldProps(props, "class", known && CLASS_HINTS[known]);
	return (
		<Field label="Class" {...field}>
			<Select {...control} value={given} onChange={(event) => props.onEdit(FIELDS.class, event.currentTarget.value)}>
				{!known && <option value={given}>{given}</option>}
				{WORKLOAD_CLASSES.map((c) => (
					<option key={c} value={c}>
						{LABELS[c]}
					</option>
				))}
			</Select>
		</Field>
	);
}

function CommandField(props: JobFormProps) {
	const value = props.draft.valueAt(FIELDS.command);
	const parts = Array.isArray(value) ? value.map(textOf) : null;
	const { field, control } = fieldProps(props, "command", "Shell syntax. Close any open quotes.");
	return (
		<Field label="Command" {...field} className="col-span-full">
			<DraftInput
				{...control}
				lines
				mono
				spellCheck={false}
				value={parts ? joinCommand(parts) : textOf(value)}
				onValue={(line) => {
					const words = splitCommand(line);
					if (words) props.onEdit(FIELDS.command, words);
				}}
			/>
		</Field>
	);
}

function GpuField(props: JobFormProps) {
	const { field } = fieldProps(props, "gpus");
	const gpus = textOf(props.draft.valueAt(FIELDS.gpus) ?? 1);
	return (
		<Field
			label="GPUs per node"
			{...field}
			htmlFor="job-gpus-0"
			hint={(GPUS as readonly string[]).includes(gpus) ? undefined : `${gpus} in the YAML`}
		>
			<SegmentedControl
				label="GPUs per node"
				name="gpus"
				value={gpus}
				onChange={(next) => {
					props.onField(FIELDS.gpus);
					props.onEdit(FIELDS.gpus, Number(next));
				}}
				options={GPUS.map((each) => ({ value: each as string, label: each }))}
			/>
		</Field>
	);
}

function AcceleratorField(props: JobFormProps) {
	const value = props.draft.valueAt(FIELDS.accelerators);
	const { field, control } = fieldProps(props, "accelerators", "Comma-separated models. Leave empty for any.");
	return (
		<Field label="Accelerators" {...field} className="col-span-full">
			<DraftInput
				{...control}
				mono
				placeholder="H100-80GB, A100-80GB"
				value={Array.isArray(value) ? value.map(textOf).join(", ") : textOf(value)}
				onValue={(text) => {
					const models = text.split(",").flatMap((each) => each.trim() || []);
					props.onEdit(FIELDS.accelerators, models.length > 0 ? models : undefined);
				}}
			/>
		</Field>
	);
}

/** Only for several nodes: one machine has no network between nodes. */
function InterconnectField(props: JobFormProps) {
	const nodes = Number(props.draft.valueAt(FIELDS.nodes) ?? 1);
	if (!(nodes > 1)) return null;
	return (
		<CheckField
			id="job-interconnect"
			className="col-span-full"
			label="High-bandwidth interconnect"
			hint="Only machines with EFA, InfiniBand or Google's GPU networks"
			checked={props.draft.valueAt(FIELDS.interconnect) === "high"}
			onFocus={() => props.onField(FIELDS.interconnect)}
			onChange={(event) => props.onEdit(FIELDS.interconnect, event.currentTarget.checked ? "high" : undefined)}
		/>
	);
}

function DurationField({
	name,
	label,
	placeholder,
	...props
}: JobFormProps & { name: "estimate" | "max"; label: string; placeholder: string }) {
	const text = textOf(props.draft.valueAt(FIELDS[name]));
	const ms = parseDurationMs(text);
	const none = name === "estimate" ? "Without it, the forecast uses past runs or a default" : "Leave empty for no limit";
	return <TextField {...props} name={name} label={label} optional placeholder={placeholder} hint={ms ? formatSpan(ms, true) : none} />;
}

/** In the format of the browser's date-time field, in UTC. */
function DeadlineField(props: JobFormProps) {
	const text = textOf(props.draft.valueAt(FIELDS.deadline));
	const at = Date.parse(text);
	const known = Number.isFinite(at);
	const left = useTime((now) => (known ? Math.round((at - now) / 60_000) : 0));
	const hint = known ? (left >= 0 ? `In ${formatSpan(left * 60_000)}` : `${formatSpan(-left * 60_000)} ago`) : "Leave empty for none";
	const { field, control } = fieldProps(props, "deadline", <span suppressHydrationWarning>{hint}</span>);
	return (
		<Field label="Deadline, UTC" {...field} className="col-span-full">
			<DraftInput
				{...control}
				type="datetime-local"
				value={known ? new Date(at).toISOString().slice(0, 16) : ""}
				onValue={(value) => props.onEdit(FIELDS.deadline, value === "" ? undefined : `${value.slice(0, 16)}:00Z`)}
			/>
		</Field>
	);
}

function CheckpointField(props: JobFormProps) {
	const value = props.draft.valueAt(FIELDS.checkpoint);
	const saves = value !== undefined && value !== null;
	return (
		<>
			<CheckField
				id="job-checkpoint"
				className="col-span-full"
				label="Saves checkpoints"
				hint="After an interruption, the job resumes from the newest checkpoint"
				checked={saves}
				onFocus={() => props.onField(FIELDS.checkpoint)}
				onChange={(event) => props.onEdit(FIELDS.checkpoint, event.currentTarget.checked ? { path: "checkpoints" } : undefined)}
			/>
			{saves && (
				<TextField {...props} name="checkpointPath" label="Folder" mono wide hint="Passed to the command as SPILLWAY_CHECKPOINT_DIR" />
			)}
		</>
	);
}

function DataNote({ draft }: { draft: Draft }) {
	const data = draft.valueAt(FIELDS.data);
	const count = Array.isArray(data) ? data.length : 0;
	const problem = draft.problemAt(FIELDS.data);
	return (
		<p className="col-span-full text-xs text-ink-3">
			{count === 0 ? "No data sets" : `${count} data ${count === 1 ? "set" : "sets"}`}; edit data, environment, CPUs and memory in the YAML.
			{problem && <span className="block text-risk-ink">{problem}</span>}
		</p>
	);
}
