import { SETTINGS_PAGES } from "#components/shell/navigation.ts";
import { TabLinks } from "#components/ui/tabs.tsx";

export type SettingsTab = (typeof SETTINGS_PAGES)[number]["id"];

export function SettingsTabs({ current }: { current: SettingsTab }) {
	return <TabLinks edge label="Settings" current={current} tabs={SETTINGS_PAGES} />;
}
