import type { Command } from '../command.ts';
import { audit } from './audit.ts';
import { create, deleteChatbot, update } from './changing.ts';
import { guests } from './guests.ts';
import { managers } from './managers.ts';
import { notify } from './notify.ts';
import { follow, use } from './place.ts';
import { list, show } from './reading.ts';
import { server } from './server.ts';
import { share } from './share.ts';

/** `/chatbot`: who answers, where, and who may change that. */
export const chatbot: Command = {
  name: 'chatbot',
  description: 'chatbot',
  actions: {
    list,
    show,
    create,
    update,
    delete: deleteChatbot,
    use,
    follow,
    share,
    server,
    managers,
    guests,
    audit,
    notify,
  },
};
