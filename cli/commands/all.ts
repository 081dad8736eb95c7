import type { Command } from "../command.ts";
import { budgets } from "./budgets.ts";
import { cancel } from "./cancel.ts";
import { explain } from "./explain.ts";
import { instances } from "./instances.ts";
import { jobs } from "./jobs.ts";
import { logs } from "./logs.ts";
import { policy } from "./policy.ts";
import { quote } from "./quote.ts";
import { receipt } from "./receipt.ts";
import { show } from "./show.ts";
import { simulate } from "./simulate.ts";
import { sites } from "./sites.ts";
import { spend } from "./spend.ts";
import { submit } from "./submit.ts";

/** In the order of help: what a job meets, then what money does. `help` and `version` are answered without a server. */
export const COMMANDS: readonly Command[] = [
	...[submit, quote, jobs, show, logs, cancel, explain, receipt],
	...[instances, sites, spend, budgets, policy, simulate],
];
