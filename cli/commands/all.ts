import type { Command } from "../command.ts";
import { apply } from "./apply.ts";
import { approvals } from "./approvals.ts";
import { artifacts } from "./artifacts.ts";
import { audit } from "./audit.ts";
import { backup, restore } from "./backup.ts";
import { bill } from "./bill.ts";
import { budgets } from "./budgets.ts";
import { cancel } from "./cancel.ts";
import { carbon } from "./carbon.ts";
import { channels } from "./channels.ts";
import { charges } from "./charges.ts";
import { currency } from "./currency.ts";
import { data } from "./data.ts";
import { explain } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { find } from "./find.ts";
import { groups } from "./groups.ts";
import { hold } from "./hold.ts";
import { importCommand } from "./import.ts";
import { init } from "./init.ts";
import { instances } from "./instances.ts";
import { jobs } from "./jobs.ts";
import { lint } from "./lint.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { logs } from "./logs.ts";
import { mcp } from "./mcp.ts";
import { move } from "./move.ts";
import { notify } from "./notify.ts";
import { offers } from "./offers.ts";
import { people } from "./people.ts";
import { performance } from "./performance.ts";
import { pipeline } from "./pipeline.ts";
import { plan } from "./plan.ts";
import { plans } from "./plans.ts";
import { policy } from "./policy.ts";
import { priority } from "./priority.ts";
import { quote } from "./quote.ts";
import { rates } from "./rates.ts";
import { receipt } from "./receipt.ts";
import { release } from "./release.ts";
import { resume } from "./resume.ts";
import { retry } from "./retry.ts";
import { roles } from "./roles.ts";
import { secrets } from "./secrets.ts";
import { show } from "./show.ts";
import { simulate } from "./simulate.ts";
import { site } from "./site.ts";
import { sites } from "./sites.ts";
import { spend } from "./spend.ts";
import { statement } from "./statement.ts";
import { stay } from "./stay.ts";
import { stores } from "./stores.ts";
import { submit } from "./submit.ts";
import { teams } from "./teams.ts";
import { templates } from "./templates.ts";
import { tokens } from "./tokens.ts";
import { trigger } from "./trigger.ts";
import { views } from "./views.ts";
import { wait } from "./wait.ts";

/** In the order of help: job commands, then money commands. `help` and `version` work without a server. */
export const COMMANDS: readonly Command[] = [
	...[
		submit,
		pipeline,
		trigger,
		templates,
		importCommand,
		quote,
		lint,
		jobs,
		views,
		find,
		show,
		logs,
		wait,
		cancel,
		hold,
		release,
		move,
		stay,
		resume,
		retry,
		priority,
		explain,
		receipt,
		artifacts,
		approvals,
		mcp,
	],
	...[instances, offers, sites, site, data, stores, spend, charges, carbon, budgets, statement, bill],
	...[
		exportCommand,
		rates,
		currency,
		policy,
		audit,
		people,
		roles,
		teams,
		groups,
		tokens,
		secrets,
		notify,
		channels,
		login,
		logout,
		init,
		apply,
		simulate,
		performance,
		plan,
		plans,
		backup,
		restore,
	],
];
