import { account, team, token } from "./account.ts";
import { approval } from "./approval.ts";
import { artifact } from "./artifact.ts";
import { audit } from "./audit.ts";
import { backtest, shadow } from "./backtest.ts";
import { bill } from "./bill.ts";
import { budget } from "./budget.ts";
import { forecast, instance, offer, overview, site } from "./capacity.ts";
import { carbon } from "./carbon.ts";
import { alert, channel } from "./channel.ts";
import { company } from "./company.ts";
import { currency } from "./currency.ts";
import { dataSet } from "./data-set.ts";
import { groupMapping } from "./group-mapping.ts";
import { job } from "./job.ts";
import { notification } from "./notification.ts";
import { performance } from "./performance.ts";
import { pipeline } from "./pipeline.ts";
import { plan } from "./plan.ts";
import { draft, policy } from "./policy.ts";
import { rates } from "./rates.ts";
import { role } from "./role.ts";
import { search } from "./search.ts";
import { secret } from "./secret.ts";
import { setup } from "./setup.ts";
import { ledger, spend } from "./spend.ts";
import { statement } from "./statement.ts";
import { store } from "./store.ts";
import { template } from "./template.ts";
import { trigger } from "./trigger.ts";
import { view } from "./view.ts";

/** Every public operation, by group. A group's name and an operation's key are its id: `job.list`. */
export const contract = {
	job,
	view,
	pipeline,
	trigger,
	template,
	performance,
	artifact,
	site,
	instance,
	offer,
	forecast,
	overview,
	search,
	policy,
	draft,
	backtest,
	shadow,
	plan,
	spend,
	ledger,
	carbon,
	budget,
	approval,
	alert,
	channel,
	rates,
	currency,
	dataSet,
	store,
	statement,
	bill,
	audit,
	secret,
	token,
	account,
	role,
	notification,
	team,
	groupMapping,
	setup,
	company,
};
