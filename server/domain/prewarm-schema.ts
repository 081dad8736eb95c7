import { z } from "zod";
import { DAY_MS, MINUTE_MS } from "../kernel/units.ts";
import { dataAddressOf } from "./data-address.ts";
import { WEEKDAYS } from "./policy.ts";
import { choices, list, problem, usd } from "./policy-values.ts";
import * as value from "./schema/values.ts";

const MACHINES_MAX = 1_000;
const GPUS_MAX = 16;
const IDLE_DAYS_MAX = 90;

/** Minutes since midnight of a time such as 08:30. */
const time = (lastHour: number) =>
	z.string("must be a time such as 08:00, in quotes").transform((written, ctx): number => {
		const [, hour = "", minute = ""] = /^(\d\d):(\d\d)$/.exec(written) ?? [];
		const minutes = Number(hour) * 60 + Number(minute);
		if (hour !== "" && Number(minute) < 60 && minutes <= lastHour * 60 + (lastHour === 24 ? 0 : 59)) return minutes;
		problem(ctx, `"${written.slice(0, 20)}" is not a time of day.`, 'Write for example "08:00".');
		return z.NEVER;
	});

const hours = z
	.strictObject({
		days: choices(WEEKDAYS).meta({
			title: "Days",
			description: "Days of the week: mon to sun.",
			examples: [["mon", "tue"]],
			starts: "[",
			fix: "Write for example days: [mon, tue, wed, thu, fri].",
		}),
		from: time(23).meta({
			title: "From",
			description: "Time of day.",
			examples: ["07:30"],
			valueType: "time",
			fix: 'Write from: "07:30".',
		}),
		to: time(24).meta({
			title: "To",
			description: "Time of day; 24:00 is midnight.",
			examples: ["18:00"],
			valueType: "time",
			fix: 'Write to: "18:00".',
		}),
	})
	.superRefine(({ from, to }, ctx) => {
		if (to <= from) problem(ctx, "to must be later than from.", "For a night, use two rules: one until 24:00, one from 00:00.", ["to"]);
	});

const dataUri = value.line(1_024).superRefine((uri, ctx) => {
	const fix = "Name a store, for example s3://bucket/path.";
	try {
		if (dataAddressOf(uri).kind === "file") problem(ctx, "a machine without a job fetches only from a store.", fix);
	} catch (error) {
		problem(ctx, error instanceof Error ? error.message : String(error), fix);
	}
});

/** Machines that are kept ready without a job. */
export const prewarm = z
	.strictObject({
		machines: value.wholeNumber(1, MACHINES_MAX).meta({
			title: "Machines",
			description: "Maximum number of machines without a job.",
			examples: [4],
			unit: "machines",
			fix: "Write for example machines: 4.",
		}),
		accelerator: value.line(64).meta({
			title: "GPU model",
			description: "GPU model of the machines.",
			examples: ["A100-80GB"],
			fix: "Write for example accelerator: A100-80GB.",
		}),
		gpus: value.wholeNumber(1, GPUS_MAX).meta({
			title: "GPUs per machine",
			description: "GPUs of each machine. Jobs with as many on a node can use them.",
			examples: [1],
			unit: "GPUs",
			fix: "Write for example gpus: 1.",
		}),
		state: z
			.enum(["stopped", "running"])
			.default("stopped")
			.meta({
				title: "State",
				description: "Stopped machines cost only their disk, and need a start.",
				examples: ["stopped"],
				defaultText: "`stopped`",
			}),
		sites: list(value.name())
			.optional()
			.meta({ title: "Sites", description: "Cloud sites; all when omitted.", examples: [["aws-main"]], starts: "[", defaultText: "all" }),
		capacityType: z
			.enum(["on_demand", "spot"])
			.optional()
			.meta({
				title: "Capacity type",
				description: "on_demand or spot; either when omitted.",
				examples: ["on_demand"],
				defaultText: "either",
			}),
		monthlyUsd: usd().meta({
			title: "Monthly budget, USD",
			description: "Cost of machines without a job, per calendar month. Separate from the budgets.",
			examples: [500],
			fix: "Write for example monthlyUsd: 500.",
		}),
		idleMinutes: z
			.number()
			.positive()
			.max((IDLE_DAYS_MAX * DAY_MS) / MINUTE_MS)
			.refine((minutes) => minutes >= 1, "must be at least 1")
			.optional()
			.meta({
				title: "Maximum idle time, minutes",
				description: "A machine without a job for this long ends.",
				examples: [60],
				unit: "minutes",
				defaultText: "`10080` (a week) if stopped, `30` if running",
			}),
		waitingUsdPerGpuHour: usd("USD per GPU-hour")
			.optional()
			.meta({
				title: "Value of waiting, USD per GPU-hour",
				description: "What an hour of waiting costs for each GPU. Machines are kept when they are expected to save more than they cost.",
				examples: [5],
				excludes: ["hours"],
			}),
		hours: hours.optional().meta({
			title: "Hours",
			description: "All machines are ready in these hours, whatever the forecast.",
			starts: "{ days: [",
			excludes: ["waitingUsdPerGpuHour"],
		}),
		images: list(value.line(512))
			.optional()
			.meta({
				title: "Images",
				description: "Container images that waiting machines pull.",
				examples: [["ghcr.io/acme/train:1.2"]],
				starts: "[",
				defaultText: "those of recorded jobs",
			}),
		data: list(dataUri)
			.optional()
			.meta({
				title: "Data",
				description: "Data sets that waiting machines fetch.",
				examples: [["s3://acme/imagenet"]],
				starts: "[",
				defaultText: "those of recorded jobs",
			}),
	})
	.superRefine(({ hours: when, waitingUsdPerGpuHour }, ctx) => {
		if (when && waitingUsdPerGpuHour !== undefined)
			problem(
				ctx,
				"hours keeps all machines, so no value of waiting is compared.",
				"Remove waitingUsdPerGpuHour, or hours.",
				["hours"],
				true,
			);
		if (!when && waitingUsdPerGpuHour === undefined)
			problem(ctx, "has neither a value of waiting nor hours.", "Write for example waitingUsdPerGpuHour: 5, or hours.");
	});
