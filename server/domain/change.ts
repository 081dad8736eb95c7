/** Notifies browsers of what to reload. */
export interface Change {
	topic: ChangeTopic;
	id: string | null;
	/** The affected team; null: everyone. */
	team: string | null;
}

export const CHANGE_TOPICS = ["job", "instance", "site", "spend", "policy", "log", "statement", "alert", "approval", "pipeline"] as const;
export type ChangeTopic = (typeof CHANGE_TOPICS)[number];
