import { TabLinks } from "#components/ui/tabs.tsx";

const TABS = [
	{ id: "sites", label: "Sites", href: "/settings/sites" },
	{ id: "agreements", label: "Discounts", href: "/settings/agreements" },
	{ id: "currency", label: "Currency", href: "/settings/currency" },
	{ id: "people", label: "People", href: "/settings/people" },
	{ id: "teams", label: "Teams", href: "/settings/teams" },
	{ id: "secrets", label: "Secrets", href: "/settings/secrets" },
	{ id: "stores", label: "Stores", href: "/settings/stores" },
	{ id: "notifications", label: "Notifications", href: "/settings/notifications" },
	{ id: "tokens", label: "Tokens", href: "/settings/tokens" },
] as const;

export type SettingsTab = (typeof TABS)[number]["id"];

export function SettingsTabs({ current }: { current: SettingsTab }) {
	return <TabLinks edge label="Settings" current={current} tabs={TABS} />;
}
