import type { FieldErrors } from "#components/page/field-errors.ts";
import { TextField } from "#components/settings/text-field.tsx";
import { Field, Select } from "#components/ui/input.tsx";
import { SegmentedControl } from "#components/ui/segmented.tsx";
import { APPROVER_CHOICES, BURST_CHOICES, LEAVE_CHOICES, REGION_CHOICES } from "#server/domain/first-policy.ts";

export interface Answers {
	leave: (typeof LEAVE_CHOICES)[number];
	regions: (typeof REGION_CHOICES)[number];
	cap: string;
	burst: (typeof BURST_CHOICES)[number];
	wait: string;
	approver: (typeof APPROVER_CHOICES)[number];
	above: string;
}

export const FIRST_ANSWERS: Answers = {
	...{ leave: "not_sensitive", regions: "anywhere", cap: "5000", burst: "wait", wait: "30", approver: "none", above: "500" },
};

const LEAVE: Record<Answers["leave"], string> = {
	nothing: "Nothing",
	experiments: "Experiments and batch inference",
	not_sensitive: "Everything except sensitive jobs",
	everything: "Everything",
};
const REGIONS: Record<Answers["regions"], string> = { anywhere: "Anywhere", europe: "Europe", united_states: "United States" };
const BURST: Record<Answers["burst"], string> = { wait: "After a wait", deadline: "For deadlines", full: "When home is full" };
const APPROVER: Record<Answers["approver"], string> = { none: "No one", platform: "Platform engineers", finance: "Finance" };

const whole = (text: string, min: number): number | null => (/^\d{1,9}$/.test(text.trim()) && Number(text) >= min ? Number(text) : null);

/** The answers in the server's form, or the problems by field. */
export function readAnswers(answers: Answers) {
	const { leave, regions, burst, approver } = answers;
	const monthlyCapUsd = leave === "nothing" ? 1 : whole(answers.cap, 1);
	const waitMinutes = burst === "wait" ? whole(answers.wait, 1) : 30;
	const approvalAboveUsd = approver === "none" ? 0 : whole(answers.above, 0);
	if (monthlyCapUsd !== null && waitMinutes !== null && approvalAboveUsd !== null)
		return { input: { leave, regions, burst, approver, monthlyCapUsd, waitMinutes, approvalAboveUsd }, errors: {} as FieldErrors };
	const errors: FieldErrors = {
		...(monthlyCapUsd === null && { cap: "Enter whole US dollars of at least 1, such as 5000." }),
		...(waitMinutes === null && { wait: "Enter whole minutes of at least 1, such as 30." }),
		...(approvalAboveUsd === null && { above: "Enter whole US dollars, such as 500. 0 asks for every job." }),
	};
	return { input: null, errors };
}

interface QuestionsProps {
	answers: Answers;
	set: (part: Partial<Answers>) => void;
	errors: FieldErrors;
}

function options<Value extends string>(labels: Record<Value, string>, values: readonly Value[]) {
	return values.map((value) => ({ value, label: labels[value] }));
}

/** The four questions. */
export function PolicyQuestions({ answers, set, errors }: QuestionsProps) {
	const leaves = answers.leave !== "nothing";
	return (
		<>
			<div className="grid gap-4 md:grid-cols-2">
				<Field label="Which jobs may leave your cluster?" htmlFor="setup-leave">
					<Select
						id="setup-leave"
						value={answers.leave}
						onChange={(event) => set({ leave: LEAVE_CHOICES.find((one) => one === event.target.value) ?? answers.leave })}
					>
						{LEAVE_CHOICES.map((value) => (
							<option key={value} value={value}>
								{LEAVE[value]}
							</option>
						))}
					</Select>
				</Field>
				{leaves && (
					<Field label="Where may they go?" htmlFor="setup-regions">
						<Select
							id="setup-regions"
							value={answers.regions}
							onChange={(event) => set({ regions: REGION_CHOICES.find((one) => one === event.target.value) ?? answers.regions })}
						>
							{REGION_CHOICES.map((value) => (
								<option key={value} value={value}>
									{REGIONS[value]}
								</option>
							))}
						</Select>
					</Field>
				)}
			</div>
			{leaves && (
				<>
					<TextField
						label="What may all cloud jobs cost in a month ($)?"
						id="setup-cap"
						value={answers.cap}
						onChange={(cap) => set({ cap })}
						error={errors["cap"]}
						hint="At the cap, jobs wait at home."
					/>
					<div className="grid gap-2">
						<p className="font-medium text-ink-2">When may a job leave?</p>
						<SegmentedControl
							label="When may a job leave?"
							name="setup-burst"
							value={answers.burst}
							options={options(BURST, BURST_CHOICES)}
							onChange={(burst) => set({ burst })}
							className="justify-self-start"
						/>
						{answers.burst === "wait" && (
							<TextField
								label="Forecast wait at home (minutes)"
								id="setup-wait"
								value={answers.wait}
								onChange={(wait) => set({ wait })}
								error={errors["wait"]}
							/>
						)}
					</div>
					<div className="grid gap-2">
						<p className="font-medium text-ink-2">Who approves before a job leaves?</p>
						<SegmentedControl
							label="Who approves before a job leaves?"
							name="setup-approver"
							value={answers.approver}
							options={options(APPROVER, APPROVER_CHOICES)}
							onChange={(approver) => set({ approver })}
							className="justify-self-start"
						/>
						{answers.approver !== "none" && (
							<TextField
								label="For jobs that cost more than ($)"
								id="setup-above"
								value={answers.above}
								onChange={(above) => set({ above })}
								error={errors["above"]}
								hint="0 asks for every job that leaves."
							/>
						)}
					</div>
				</>
			)}
		</>
	);
}
