import type { IconName } from "#components/ui/icon.tsx";
import type { Permission } from "#server/domain/permissions.ts";

export type ScreenId =
	| "overview"
	| "jobs"
	| "approvals"
	| "pipelines"
	| "sweeps"
	| "triggers"
	| "policies"
	| "budgets"
	| "spend"
	| "statements"
	| "carbon"
	| "performance"
	| "plan"
	| "capacity"
	| "audit"
	| "settings";

export type Screen = {
	id: ScreenId;
	label: string;
	href: string;
	icon: IconName;
	/** The key after `g`. */
	key: string;
	group: "" | "Rules" | "Money" | "Platform";
	/** Path of its pages, if different from `href`. */
	under?: string;
	/** Shown only to people with this permission; absent: shown to everyone. */
	needs?: Permission;
	/** Shown in the phone's bar; the others are under More. */
	onPhoneBar?: boolean;
};

/** Available screens in navigation order. A new screen is one line here (and its ID above). */
export const SCREENS: readonly Screen[] = [
	{ id: "overview", label: "Overview", href: "/", icon: "overview", key: "o", group: "", onPhoneBar: true },
	{ id: "jobs", label: "Jobs", href: "/jobs", icon: "jobs", key: "j", group: "", needs: "job:read", onPhoneBar: true },
	{ id: "performance", label: "Performance", href: "/performance", icon: "performance", key: "f", group: "", needs: "job:read" },
	{ id: "pipelines", label: "Pipelines", href: "/pipelines", icon: "pipelines", key: "h", group: "", needs: "job:read" },
	{ id: "sweeps", label: "Sweeps", href: "/sweeps", icon: "sweeps", key: "w", group: "", needs: "job:read" },
	{ id: "triggers", label: "Triggers", href: "/triggers", icon: "triggers", key: "r", group: "", needs: "job:read" },
	{ id: "policies", label: "Policies", href: "/policies", icon: "policies", key: "p", group: "Rules", needs: "policy:read" },
	{ id: "approvals", label: "Approvals", href: "/approvals", icon: "approvals", key: "y", group: "Rules" },
	{ id: "budgets", label: "Budgets", href: "/budgets", icon: "budgets", key: "b", group: "Rules", needs: "budget:read" },
	{ id: "spend", label: "Spend", href: "/spend", icon: "spend", key: "s", group: "Money", needs: "spend:read", onPhoneBar: true },
	{ id: "carbon", label: "Carbon", href: "/carbon", icon: "carbon", key: "e", group: "Money", needs: "spend:read" },
	{ id: "statements", label: "Statements", href: "/statements", icon: "statements", key: "t", group: "Money", needs: "statement:read" },
	{ id: "plan", label: "Plan", href: "/plan", icon: "plan", key: "l", group: "Money", needs: "plan:read" },
	{
		id: "capacity",
		label: "Capacity",
		href: "/sites",
		icon: "capacity",
		key: "c",
		group: "Platform",
		needs: "capacity:read",
		onPhoneBar: true,
	},
	{ id: "audit", label: "Audit", href: "/audit", icon: "audit", key: "a", group: "Platform", needs: "audit:read" },
	{ id: "settings", label: "Settings", href: "/settings/sites", under: "/settings", icon: "settings", key: "i", group: "Platform" },
];

/** Pages of Settings, in the order of its tabs. */
export const SETTINGS_PAGES = [
	{ id: "sites", label: "Sites", href: "/settings/sites" },
	{ id: "agreements", label: "Discounts", href: "/settings/agreements" },
	{ id: "currency", label: "Currency", href: "/settings/currency" },
	{ id: "people", label: "People", href: "/settings/people" },
	{ id: "teams", label: "Teams", href: "/settings/teams" },
	{ id: "secrets", label: "Secrets", href: "/settings/secrets" },
	{ id: "stores", label: "Stores", href: "/settings/stores" },
	{ id: "data", label: "Data", href: "/settings/data" },
	{ id: "notifications", label: "Notifications", href: "/settings/notifications" },
	{ id: "tokens", label: "Tokens", href: "/settings/tokens" },
] as const;

/** Pages below a screen that the command bar also opens. */
export const SUBPAGES: readonly { id: string; label: string; href: string; icon: IconName; detail: string; needs?: Permission }[] = [
	{ id: "templates", label: "Templates", href: "/pipelines/templates", icon: "pipelines", detail: "pipelines", needs: "job:read" },
	{ id: "charges", label: "Charges", href: "/spend/charges", icon: "spend", detail: "spend", needs: "charge:read" },
	{ id: "add-site", label: "Add site", href: "/settings/sites/new", icon: "settings", detail: "settings", needs: "site:manage" },
];

/** Global actions besides navigation. */
export const ACTIONS: readonly { id: string; label: string; href: string; icon: IconName; key: string; needs?: Permission }[] = [
	{ id: "new-job", label: "New job", href: "/jobs/new", icon: "plus", key: "n", needs: "job:submit" },
];

/** The screen of a path: /jobs/job_1 belongs to Jobs. */
export function screenOfPath(path: string): ScreenId | null {
	const hit = SCREENS.filter((s) => (s.href === "/" ? path === "/" : path === s.href || path.startsWith(`${s.under ?? s.href}/`))).at(-1);
	return hit?.id ?? null;
}

/** The target of `g` plus a key, or null. */
export function hrefOfKey(key: string): string | null {
	return SCREENS.find((s) => s.key === key)?.href ?? ACTIONS.find((a) => a.key === key)?.href ?? null;
}

function canUse({ needs }: { needs?: Permission }, permissions: readonly Permission[]): boolean {
	return needs === undefined || permissions.includes(needs);
}

/** Screens that a person with these permissions can open. */
export function screensFor(permissions: readonly Permission[]): readonly Screen[] {
	return SCREENS.filter((screen) => canUse(screen, permissions));
}

/** Global actions that a person with these permissions can take. */
export function actionsFor(permissions: readonly Permission[]): typeof ACTIONS {
	return ACTIONS.filter((action) => canUse(action, permissions));
}

/** Pages below a screen that a person with these permissions can open. */
export function subpagesFor(permissions: readonly Permission[]): typeof SUBPAGES {
	return SUBPAGES.filter((page) => canUse(page, permissions));
}

/** Groups in order with their screens. */
export function screenGroups(permissions: readonly Permission[]): { group: Screen["group"]; screens: Screen[] }[] {
	const groups: { group: Screen["group"]; screens: Screen[] }[] = [];
	for (const screen of screensFor(permissions)) {
		const last = groups.at(-1);
		if (last?.group === screen.group) last.screens.push(screen);
		else groups.push({ group: screen.group, screens: [screen] });
	}
	return groups;
}
