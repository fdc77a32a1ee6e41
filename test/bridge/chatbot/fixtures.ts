/** Answers of the service, each with an unknown field, as a future version may have. */
const times = { created_at: '2024-09-12T00:19:12Z', modified_at: '2024-09-12T00:19:12Z' };

export const chatbot = {
  uuid: 'c1',
  name: 'Guide',
  ...times,
  meta: {
    rate_limit: [20, 240],
    rate_limit_message: 'Slow down',
    show_citations: true,
    visibility: 'private',
  },
  future: 1,
};

export const agent = {
  uuid: 'a1',
  name: 'General Q&A',
  type: 'user-facing',
  enabled: 1,
  ...times,
  meta: { model: 'm', temperature: 0, use_all_sources: true },
  future: 1,
};

export const source = {
  uuid: 's1',
  title: 'Handbook',
  file_name: 'handbook.md',
  file_size: '12',
  tokens: 3,
  status: 'await',
  type: 'upload',
  meta_json: '{}',
  ...times,
  future: 1,
};

export const tag = { uuid: 't1', name: 'HR', color: '#112233', ...times, future: 1 };
export const session = { uuid: 'n1', ...times, future: 1 };
export const message = { uuid: 'm1', query: 'Hi?', response: 'Hi.', ...times, future: 1 };
export const success = { success: true };
